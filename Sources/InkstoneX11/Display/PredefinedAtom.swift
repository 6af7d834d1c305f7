import CX11

/// The atoms that exist in every X server, by their names in the protocol (X Window System Protocol, appendix B).
/// Swift does not import Xlib's names for them, which are macros with a cast.
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
