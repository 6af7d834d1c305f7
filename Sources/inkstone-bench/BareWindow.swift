import ArgumentParser
internal import CXTest
import Glibc
import InkstoneTesting

/// A window that does no more than it must: what the server, the scheduler and the measuring itself take, to compare the
/// editor's times with in the same run.
///
/// A letter draws a line of text anew with a core font, Down moves all lines up by one and draws one. It keeps no text, lays
/// nothing out and paints on the window itself.
struct BareWindow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bare-window", abstract: "Show a window that does next to nothing, to compare with.",
        shouldDisplay: false)

    private static let (width, height, step) = (UInt16(1000), UInt16(940), Int16(15))

    func run() throws {
        guard let connection = xcb_connect(nil, nil), xcb_connection_has_error(connection) == 0,
            let screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data
        else { throw TimedOut(what: "a display", milliseconds: 0) }
        defer { xcb_disconnect(connection) }
        let (window, context, font) = (
            xcb_generate_id(connection), xcb_generate_id(connection), xcb_generate_id(connection)
        )
        let attributes = [
            screen.pointee.white_pixel,
            XCB_EVENT_MASK_KEY_PRESS.rawValue | XCB_EVENT_MASK_KEY_RELEASE.rawValue | XCB_EVENT_MASK_EXPOSURE.rawValue,
        ]
        xcb_create_window(
            connection, 0, window, screen.pointee.root, 0, 0, Self.width, Self.height, 0,
            UInt16(XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue), screen.pointee.root_visual,
            XCB_CW_BACK_PIXEL.rawValue | XCB_CW_EVENT_MASK.rawValue, attributes)
        xcb_open_font(connection, font, 5, "fixed")
        let values = [screen.pointee.black_pixel, screen.pointee.white_pixel, font, 0]
        xcb_create_gc(
            connection, context, window,
            XCB_GC_FOREGROUND.rawValue | XCB_GC_BACKGROUND.rawValue | XCB_GC_FONT.rawValue
                | XCB_GC_GRAPHICS_EXPOSURES.rawValue, values)
        xcb_map_window(connection, window)
        xcb_flush(connection)
        let text = Array(
            "What a program shows that does nothing else than to draw this line of some sixty letters".utf8)
        func draw(_ baseline: Int16) {
            _ = text.withUnsafeBytes {
                xcb_image_text_8(
                    connection, UInt8(text.count), window, context, 4, baseline,
                    $0.bindMemory(to: CChar.self).baseAddress)
            }
        }
        while let event = xcb_wait_for_event(connection) {
            defer { free(event) }
            switch event.pointee.response_type & 0x7f {
            case UInt8(XCB_EXPOSE): draw(13)
            case UInt8(XCB_KEY_PRESS):
                let key = UnsafeRawPointer(event).assumingMemoryBound(to: xcb_key_press_event_t.self).pointee
                guard key.detail == WindowProbe.downKey else {
                    draw(13)
                    break
                }
                xcb_copy_area(
                    connection, window, window, context, 0, Self.step, 0, 0, Self.width,
                    Self.height - UInt16(Self.step))
                draw(Int16(Self.height) - 3)
            default: break
            }
            xcb_flush(connection)
        }
    }
}
