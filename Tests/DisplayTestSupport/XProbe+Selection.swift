internal import CXTest
import Glibc
import InkstoneTesting

/// The selections, as another program would own them.
extension XProbe {
    /// Owns PRIMARY with `text`, which is handed out as UTF8_STRING by ``drainEvents()``; so keep draining while others ask.
    package func ownPrimary(_ text: String) { own("PRIMARY", text) }

    /// Owns the clipboard with `text`, in the same way: who asks is answered when this side drains its events, and not before.
    package func ownClipboard(_ text: String) { own("CLIPBOARD", text) }

    private func own(_ selection: String, _ text: String) {
        selectionTexts[atom(selection)] = text
        let window = xcb_generate_id(connection)
        xcb_create_window(
            connection, 0, window, root, -10, -10, 1, 1, 0, UInt16(XCB_WINDOW_CLASS_INPUT_ONLY.rawValue), 0, 0, nil)
        xcb_set_selection_owner(connection, window, atom(selection), 0)
        sync()
    }

    func answerSelectionRequest(_ event: UnsafeMutablePointer<xcb_generic_event_t>) {
        let request = UnsafeRawPointer(event).load(as: xcb_selection_request_event_t.self)
        var answer = xcb_selection_notify_event_t()
        answer.response_type = UInt8(XCB_SELECTION_NOTIFY)
        answer.time = request.time
        answer.requestor = request.requestor
        answer.selection = request.selection
        answer.target = request.target
        if let text = selectionTexts[request.selection], request.property != 0 {
            if request.target == atom("UTF8_STRING") {
                put(Array(text.utf8), 8, request.target, request)
                answer.property = request.property
            } else if request.target == atom("TARGETS") {
                let targets = [atom("TARGETS"), atom("UTF8_STRING")]
                put(targets.withUnsafeBytes { Array($0) }, 32, atom("ATOM"), request)
                answer.property = request.property
            }
        }
        withUnsafeBytes(of: &answer) { bytes in
            let pointer = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            _ = xcb_send_event(connection, 0, request.requestor, 0, pointer)
        }
    }

    private func put(_ bytes: [UInt8], _ format: UInt8, _ type: UInt32, _ request: xcb_selection_request_event_t) {
        xcb_change_property(
            connection, UInt8(XCB_PROP_MODE_REPLACE.rawValue), request.requestor, request.property, type, format,
            UInt32(bytes.count) / UInt32(format / 8), bytes)
    }
}
