import Glibc
import InkstoneWords

/// An error of the connection to an X server, or reported by the server.
public enum X11Error: Error, Hashable, Sendable, CustomStringConvertible {
    /// The connection could not be opened. `name` is the requested name or `$DISPLAY`; nil if both are missing or empty.
    case cannotOpenDisplay(name: String?)
    /// The server lacks a required extension.
    case missingExtension(name: String, display: String)
    /// The connection was lost: the server has ended or has disconnected this client.
    case connectionLost(display: String)
    /// No window with this number exists, or it was destroyed.
    case noSuchWindow(WindowID)
    /// The window cannot have our windows as children: it is input-only, or on another screen.
    case cannotHoldWindows(WindowID)
    /// The server refused a request. The numbers are those of the X protocol (appendix B).
    case requestFailed(name: String, code: UInt8, request: UInt8, minorRequest: UInt8, resource: UInt32)
    /// A system call failed that the event loop needs.
    case system(call: String, errno: Int32)

    /// The message for the user: what happened and what to do.
    public var description: String {
        switch self {
        case .cannotOpenDisplay(nil):
            return localized("No X display: DISPLAY is not set. Start this from a graphical session, or set DISPLAY.")
        case .cannotOpenDisplay(let name?):
            return localized(
                "Cannot open the X display “\(name)”. Is an X server running there, and may this user connect to it?")
        case .missingExtension(let name, let display):
            return localized("The X server “\(display)” lacks the extension \(name), which is needed.")
        case .connectionLost(let display):
            return localized("The connection to the X server “\(display)” is lost.")
        case .noSuchWindow(let id):
            return localized("There is no X window \(id.description).")
        case .cannotHoldWindows(let id):
            return localized(
                "The X window \(id.description) cannot hold another one: it is input-only, or on another screen.")
        case .requestFailed(let name, _, let request, let minor, let resource):
            let (number, place) = ("\(request).\(minor)", "0x" + String(resource, radix: 16))
            return localized("The X server refused request \(number): \(name) (resource \(place)).")
        case .system(let call, let number):
            return localized("\(call) failed: \(String(cString: strerror(number))).")
        }
    }
}
