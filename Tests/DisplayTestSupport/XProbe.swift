internal import CXTest
import Glibc
import InkstoneTesting

/// A second X client: what a test sees of a display and does to it, from outside the program under test.
///
/// X errors never end anything here: a request about a window that has gone has no answer.
package final class XProbe {
    /// The connection's socket, for waiting: readable when an event may have come.
    package let descriptor: CInt
    /// The root window of the first screen.
    package let root: UInt32
    /// The screen's width in pixels.
    package let width: Int
    /// The screen's height in pixels.
    package let height: Int

    let connection: OpaquePointer
    private var closed = false
    private var atoms: [String: UInt32] = [:]
    var damageFirstEvent: UInt8 = 0
    var damage: UInt32 = 0
    /// Moments (see `Deadline.now`) at which pixels of the watched window changed, in order.
    package internal(set) var damageMoments: [Double] = []
    /// The texts handed to whoever asks for the selections that are owned here, by the selection's atom.
    var selectionTexts: [UInt32: String] = [:]
    /// The number of answered pings; see ``ping(_:)``.
    package internal(set) var pongs = 0

    /// Connects to `display`; throws when it takes no connection.
    package init(display: String) throws {
        guard let connection = xcb_connect(display, nil), xcb_connection_has_error(connection) == 0 else {
            throw TimedOut(what: "a connection to display \(display)", milliseconds: 0, instead: "none")
        }
        self.connection = connection
        descriptor = xcb_get_file_descriptor(connection)
        let screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data.pointee
        root = screen.root
        width = Int(screen.width_in_pixels)
        height = Int(screen.height_in_pixels)
        var events = XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue | XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY.rawValue
        xcb_change_window_attributes(connection, root, XCB_CW_EVENT_MASK.rawValue, &events)
        free(xcb_damage_query_version_reply(connection, xcb_damage_query_version(connection, 1, 1), nil))
        free(xcb_xfixes_query_version_reply(connection, xcb_xfixes_query_version(connection, 5, 0), nil))
        free(xcb_test_get_version_reply(connection, xcb_test_get_version(connection, 2, 2), nil))
        let reply = xcb_query_extension_reply(connection, xcb_query_extension(connection, 6, "DAMAGE"), nil)
        damageFirstEvent = reply?.pointee.first_event ?? 0
        free(reply)
        sync()
    }

    deinit { close() }

    /// Closes the connection; nothing may be asked afterwards.
    package func close() {
        guard !closed else { return }
        closed = true
        xcb_disconnect(connection)
    }

    /// Returns when the server has done everything asked before.
    package func sync() {
        free(xcb_get_input_focus_reply(connection, xcb_get_input_focus(connection), nil))
    }

    /// Takes every event that has come: answers requests for the selection, notes damage, drops the rest.
    package func drainEvents() {
        while let event = xcb_poll_for_event(connection) {
            defer { free(event) }
            switch event.pointee.response_type & 0x7f {
            case UInt8(XCB_SELECTION_REQUEST): answerSelectionRequest(event)
            case UInt8(XCB_CLIENT_MESSAGE): notePong(event)
            case damageFirstEvent where damageFirstEvent != 0:
                damageMoments.append(Deadline.now)
                xcb_damage_subtract(connection, damage, 0, 0)
            default: break
            }
        }
        xcb_flush(connection)
    }

    /// The atom of this name, made if there is none.
    func atom(_ name: String) -> UInt32 {
        if let known = atoms[name] { return known }
        let reply = xcb_intern_atom_reply(
            connection, xcb_intern_atom(connection, 0, UInt16(name.utf8.count), name), nil)
        defer { free(reply) }
        let atom = reply?.pointee.atom ?? 0
        atoms[name] = atom
        return atom
    }

    /// The bytes of a property (at most 1 MB); nil if the window has none of that name or is gone.
    package func property(_ name: String, of window: UInt32) -> [UInt8]? {
        let cookie = xcb_get_property(connection, 0, window, atom(name), 0, 0, 1 << 18)
        guard let reply = xcb_get_property_reply(connection, cookie, nil) else { return nil }
        defer { free(reply) }
        guard reply.pointee.type != 0 else { return nil }
        let length = Int(xcb_get_property_value_length(reply))
        return xcb_get_property_value(reply).map { Array(UnsafeRawBufferPointer(start: $0, count: length)) } ?? []
    }

    /// A property of 32-bit items, such as atoms, windows or cardinals; empty if there is none.
    package func numbers(_ name: String, of window: UInt32) -> [UInt32] {
        let bytes = property(name, of: window) ?? []
        return bytes.withUnsafeBytes { bytes in
            (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
        }
    }

    /// The window that owns a selection; 0 if none does.
    package func selectionOwner(_ name: String) -> UInt32 {
        let reply = xcb_get_selection_owner_reply(
            connection, xcb_get_selection_owner(connection, atom(name)), nil)
        defer { free(reply) }
        return reply?.pointee.owner ?? 0
    }
}
