import CX11
import Glibc
import InkstoneWords

/// The process's character locale (`LC_CTYPE`), which Xlib's input methods and compose sequences depend on.
///
/// It is process-wide: set it before other threads use it. Nothing but `LC_CTYPE` is touched.
public enum CharacterLocale {
    /// How the locale stands.
    public struct Status: Hashable, Sendable {
        /// The name in force, as `setlocale` gives it.
        public var name: String
        /// Whether text in it is UTF-8 and Xlib knows it.
        public var isUsable: Bool
        /// What was done about an unusable locale, in words for a diagnosis; nil if nothing was.
        public var note: String?
    }

    /// Makes the character locale one in UTF-8 that Xlib knows: the host's if it is one, the environment's if that is,
    /// else `C.UTF-8` or `en_US.UTF-8`.
    @discardableResult
    public static func prepare() -> Status {
        if isUsable, currentName != "C" { return Status(name: currentName, isUsable: true, note: nil) }
        let before = currentName
        setlocale(LC_CTYPE, "")
        if isUsable { return Status(name: currentName, isUsable: true, note: nil) }
        let wanted = environmentName
        for name in ["C.UTF-8", "en_US.UTF-8"] where setlocale(LC_CTYPE, name) != nil && isUsable {
            let note = localized(
                "The locale “\(wanted)” is not UTF-8 or is unknown here; \(name) is used for typing instead.")
            return Status(name: name, isUsable: true, note: note)
        }
        setlocale(LC_CTYPE, before)
        let note = localized(
            "No UTF-8 locale works here: input methods and dead keys may not. Install one (on Debian the packages locales and libx11-data), and start with LANG=C.UTF-8."
        )
        return Status(name: currentName, isUsable: false, note: note)
    }

    /// Whether the character locale in force is UTF-8 and known to Xlib. A few hundred nanoseconds.
    public static var isUsable: Bool {
        guard let codeset = nl_langinfo(Int32(CODESET)), strcmp(codeset, "UTF-8") == 0 else { return false }
        return XSupportsLocale() != 0
    }

    /// The character locale's name in force.
    public static var currentName: String {
        setlocale(LC_CTYPE, nil).map { String(cString: $0) } ?? "C"
    }

    /// The name of the character locale that the environment asks for, whether it is there or not.
    public static var environmentName: String {
        for variable in ["LC_ALL", "LC_CTYPE", "LANG"] {
            if let value = getenv(variable), value.pointee != 0 { return String(cString: value) }
        }
        return "C"
    }
}
