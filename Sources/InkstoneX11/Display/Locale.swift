import CX11
import Glibc
import InkstoneWords

/// The process's character locale (`LC_CTYPE`), on which Xlib's input methods and compose sequences depend.
///
/// The locale belongs to the whole process, so set it before other threads use it. Only `LC_CTYPE` is changed.
public enum CharacterLocale {
    /// The character locale's name, and whether it is usable for input.
    public struct Status: Hashable, Sendable {
        /// The current locale's name, as `setlocale` returns it.
        public var name: String
        /// Whether the locale's encoding is UTF-8 and Xlib supports it.
        public var isUsable: Bool
        /// A message for the user if the requested locale was unusable; otherwise nil.
        public var note: String?
    }

    /// Sets the character locale to a UTF-8 locale that Xlib supports: the current one if it qualifies and is not
    /// `C`, else the environment's, else `C.UTF-8` or `en_US.UTF-8`. If none of them works, leaves the locale as it
    /// is. Returns the locale that is set then.
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

    /// Whether the current character locale is UTF-8 and Xlib supports it. Takes a few hundred nanoseconds.
    public static var isUsable: Bool {
        guard let codeset = nl_langinfo(Int32(CODESET)), strcmp(codeset, "UTF-8") == 0 else { return false }
        return XSupportsLocale() != 0
    }

    /// The name of the current character locale.
    public static var currentName: String {
        setlocale(LC_CTYPE, nil).map { String(cString: $0) } ?? "C"
    }

    /// The name of the character locale that the environment variables request, even if it is not installed.
    public static var environmentName: String {
        for variable in ["LC_ALL", "LC_CTYPE", "LANG"] {
            if let value = getenv(variable), value.pointee != 0 { return String(cString: value) }
        }
        return "C"
    }
}
