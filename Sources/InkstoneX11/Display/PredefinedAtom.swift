import CX11

/// The atoms that every X server has, by the names of the protocol (X Window System Protocol, appendix B). Xlib's names for them
/// are macros with a cast, which Swift does not import.
enum PredefinedAtom {
    static let primary: Atom = 1
    static let atom: Atom = 4
    static let cardinal: Atom = 6
    static let integer: Atom = 19
    static let window: Atom = 33
    static let resourceManager: Atom = 23
    static let string: Atom = 31
    static let wmClientMachine: Atom = 36
    static let wmClass: Atom = 67
}
