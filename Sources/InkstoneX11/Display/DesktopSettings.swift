import CX11
import Glibc
import InkstoneBase

/// A value of the desktop's settings (XSETTINGS).
public enum DesktopSetting: Hashable, Sendable {
    /// A number; `Xft/DPI` is in 1024ths.
    case integer(Int32)
    /// A text.
    case string(String)
    /// A colour.
    case color(Color)
}

/// What the desktop has set: XSETTINGS if a manager runs, and the resource database (`xrdb`). Both are watched.
final class DesktopSettings: EventSink {
    private(set) var values: [String: DesktopSetting] = [:] {
        didSet { preferences = DesktopPreferences(settings: values, resources: resources) }
    }
    private(set) var resources: [String: String] = [:] {
        didSet { preferences = DesktopPreferences(settings: values, resources: resources) }
    }
    /// Both as one value.
    private(set) var preferences = DesktopPreferences()
    private unowned let display: Display
    private var manager: UInt = 0

    init(_ display: Display) {
        self.display = display
        let connection = display.connection
        let root = XDefaultRootWindow(connection)
        watch(root)
        if let text = XResourceManagerString(connection) { readResources(text) }
        findManager()
    }

    func receive(_ event: inout XEvent) {
        let root = XDefaultRootWindow(display.connection)
        switch event.type {
        case ClientMessage
        where event.xclient.message_type == display.atoms["MANAGER"]
            && UInt(bitPattern: event.xclient.data.l.1) == display.settingsSelection:
            findManager()
        case DestroyNotify where event.xdestroywindow.window == manager && manager != 0:
            findManager()
        case PropertyNotify where event.xproperty.window == manager && manager != 0:
            readSettings()
        case PropertyNotify
        where event.xproperty.window == root && event.xproperty.atom == PredefinedAtom.resourceManager:
            let property = display.transfers.property(
                PredefinedAtom.resourceManager, of: root, delete: false, limit: Self.longestResources)
            var text = (property?.bytes ?? []).map { CChar(bitPattern: $0) } + [0]
            Self.disarm(&text)
            readResources(text)
        default: return
        }
        display.updateCursors()
        display.tell(.settings)
        display.onSettingsChange?()
    }

    private func findManager() {
        // The one before may live on.
        if manager != 0 { display.unregister(self, for: manager) }
        manager = XGetSelectionOwner(display.connection, display.settingsSelection)
        guard manager != 0 else {
            values = [:]
            return
        }
        watch(manager)
        readSettings()
    }

    /// Hears of a window's end and properties.
    private func watch(_ window: UInt) {
        display.register(self, for: window, selecting: StructureNotifyMask | PropertyChangeMask)
    }

    private func readSettings() {
        let property = display.atoms["_XSETTINGS_SETTINGS"]
        let bytes = display.transfers.property(property, of: manager, delete: false)?.bytes ?? []
        values = Self.parse(bytes)
    }

    /// The bytes of a resource database that are read.
    private static let longestResources = 1 << 20

    /// Cuts a resource database off at a limit and makes comments of its lines that name files. Any client can write the database, and
    /// Xlib would open whatever an `#include` names, whoever asks it for a value: Xft and libXcursor do so by themselves.
    static func disarm(_ text: UnsafeMutablePointer<CChar>) {
        func isBlank(_ byte: CChar) -> Bool { byte == 0x20 || byte == 0x09 }
        var length = strnlen(text, longestResources)
        if length == longestResources { while length > 0, text[length - 1] != 0x0a { length -= 1 } }
        text[length] = 0
        var start = 0
        while start < length {
            // A value that goes on over several lines may begin with the sign.
            var at = start
            while isBlank(text[at]) { at += 1 }
            var word = at + 1
            if text[at] == 0x23 {
                while isBlank(text[word]) { word += 1 }
                if strncmp(text + word, "include", 7) == 0 { text[at] = 0x21 }
            }
            guard let end = strchr(text + start, 0x0a) else { return }
            start = end - text + 1
        }
    }

    private func readResources(_ text: UnsafePointer<CChar>) {
        guard let database = XrmGetStringDatabase(text) else {
            resources = [:]
            return
        }
        defer { XrmDestroyDatabase(database) }
        func value(_ name: String, class className: String) -> String? {
            var type: UnsafeMutablePointer<CChar>?
            var value = XrmValue()
            guard XrmGetResource(database, name, className, &type, &value) != 0, let text = value.addr else {
                return nil
            }
            return String(cString: text)
        }
        var found: [String: String] = [:]
        for name in Self.fontNames { found[name] = value("Xft." + name, class: "Xft." + name) }
        for name in ["Xcursor.theme", "Xcursor.size"] { found[name] = value(name, class: name) }
        found["multiClickTime"] = value("inkstone.multiClickTime", class: "Inkstone.MultiClickTime")
        resources = found
    }

    /// The names of Xft's own settings.
    static let fontNames: Set<String> = [
        "antialias", "hinting", "hintstyle", "rgba", "lcdfilter", "autohint", "embolden", "minspace", "dpi",
    ]

    /// The settings in a manager's property (XSETTINGS 0.5, “Settings format”); damaged ones end the list.
    static func parse(_ bytes: [UInt8]) -> [String: DesktopSetting] {
        var reader = Reader(bytes: bytes)
        var result: [String: DesktopSetting] = [:]
        reader.isBigEndian = reader.byte() == 1
        reader.skip(7)
        for _ in 0..<min(reader.word() ?? 0, 10_000) {
            guard let type = reader.byte() else { break }
            reader.skip(1)
            guard let length = reader.half(), let name = reader.text(Int(length)) else { break }
            // After the name comes the serial of the last change.
            reader.skip(4)
            switch type {
            case 0:
                guard let value = reader.word() else { return result }
                result[name] = .integer(Int32(bitPattern: value))
            case 1:
                guard let length = reader.word(), let value = reader.text(Int(length)) else { return result }
                result[name] = .string(value)
            case 2:
                guard let red = reader.half(), let blue = reader.half(), let green = reader.half(),
                    let alpha = reader.half()
                else { return result }
                result[name] = .color(
                    Color(
                        red: UInt8(red >> 8), green: UInt8(green >> 8), blue: UInt8(blue >> 8),
                        alpha: UInt8(alpha >> 8)))
            default: return result
            }
        }
        return result
    }

    /// Reads numbers and padded texts; nil beyond the end.
    private struct Reader {
        let bytes: [UInt8]
        var offset = 0
        var isBigEndian = false

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func skip(_ count: Int) { offset += count }

        mutating func byte() -> UInt8? {
            guard offset < bytes.count else { return nil }
            defer { offset += 1 }
            return bytes[offset]
        }

        mutating func half() -> UInt16? { number(2).map { UInt16($0) } }
        mutating func word() -> UInt32? { number(4) }

        mutating func text(_ length: Int) -> String? {
            guard length >= 0, length <= bytes.count - offset else { return nil }
            defer { offset += (length + 3) & ~3 }
            return String(decoding: bytes[offset..<(offset + length)], as: UTF8.self)
        }

        private mutating func number(_ size: Int) -> UInt32? {
            guard size <= bytes.count - offset else { return nil }
            defer { offset += size }
            let part = bytes[offset..<(offset + size)]
            return (isBigEndian ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
        }
    }
}

extension Display {
    /// The desktop's settings by their XSETTINGS names, such as `Net/DoubleClickTime` (milliseconds); empty if no manager
    /// runs. Read once and then watched: see ``onSettingsChange``.
    public var settings: [String: DesktopSetting] { desktop.values }

    /// What the desktop has set, XSETTINGS before the resource database (`xrdb`). Read once and then watched: see
    /// ``observeChanges(by:_:)``.
    public var preferences: DesktopPreferences { desktop.preferences }

    /// What the user has set for fonts, by fontconfig's names: `antialias`, `hinting`, `hintstyle`, `rgba`, `lcdfilter`,
    /// `autohint`, `embolden`, `minspace`, `dpi`; values as fontconfig parses them. XSETTINGS comes before the resource
    /// database (`Xft.*`); what is not set is missing.
    public var fontSettings: [String: String] { preferences.fonts }

    var settingsSelection: Atom { intern("_XSETTINGS_S\(XDefaultScreen(connection))") }
}
