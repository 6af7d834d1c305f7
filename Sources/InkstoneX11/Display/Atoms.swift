import CX11
import Glibc

/// The atoms that this module uses, interned together when the display is opened, and atoms interned later.
struct Atoms {
    static let names =
        [
            "WM_PROTOCOLS", "WM_DELETE_WINDOW", "WM_TAKE_FOCUS", "_NET_WM_PING", "_NET_WM_PID", "_NET_WM_NAME",
            "_NET_WM_ICON_NAME", "UTF8_STRING", "_NET_WM_USER_TIME", "_NET_STARTUP_ID", "_NET_STARTUP_INFO_BEGIN",
            "_NET_STARTUP_INFO", "TARGETS", "MULTIPLE", "TIMESTAMP", "TEXT", "COMPOUND_TEXT", "INCR", "ATOM_PAIR",
            "CLIPBOARD", "text/plain", "text/plain;charset=utf-8", "_INKSTONE_TIME",
            "_XSETTINGS_SETTINGS", "_XSETTINGS_S0", "MANAGER", "WM_CLIENT_MACHINE", "_NET_WM_WINDOW_TYPE",
            "_NET_WM_WINDOW_TYPE_NORMAL", "_XEMBED", "_XEMBED_INFO", "CLIPBOARD_MANAGER", "SAVE_TARGETS", "DELETE",
            "_NET_WM_SYNC_REQUEST", "_NET_WM_SYNC_REQUEST_COUNTER", "_NET_WM_ICON", "NULL",
            "x-kde-passwordManagerHint", "_INKSTONE_SELECTION_0", "_INKSTONE_SELECTION_1",
            "XdndAware", "XdndProxy", "XdndSelection", "XdndTypeList", "XdndActionCopy", "XdndActionMove",
            "_NET_WM_WINDOW_TYPE_DND",
        ] + DragMessage.names
    private var values: [String: Atom]

    /// Creates the atoms by interning ``names`` with one call of `intern`.
    init(
        interning intern: (
            _ names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, _ count: Int32,
            _ atoms: UnsafeMutablePointer<Atom>
        ) -> Void
    ) {
        var pointers: [UnsafeMutablePointer<CChar>?] = Self.names.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        var atoms = [Atom](repeating: 0, count: pointers.count)
        intern(&pointers, Int32(pointers.count), &atoms)
        values = Dictionary(uniqueKeysWithValues: zip(Self.names, atoms))
    }

    /// The atom of one of ``names``; traps on other names.
    subscript(_ name: String) -> Atom { values[name]! }

    /// The atom of a name; nil if the name was not interned yet.
    subscript(known name: String) -> Atom? {
        get { values[name] }
        set { values[name] = newValue }
    }
}
