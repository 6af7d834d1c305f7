import CX11
import Glibc
import InkstoneBase

/// The value of a desktop setting (XSETTINGS).
package enum DesktopSetting: Hashable, Sendable {
    /// A number; `Xft/DPI` is in 1024ths of a dot per inch.
    case integer(Int32)
    /// A text.
    case string(String)
    /// A colour.
    case color(Color)
}

/// The desktop's settings, from XSETTINGS if a settings manager is running, and from the resource database
/// (`xrdb`). Both are watched for changes.
final class DesktopSettings: EventSink {
    private(set) var values: [String: DesktopSetting] = [:] {
        didSet { preferences = DesktopPreferences(settings: values, resources: resources) }
    }
    private(set) var resources: [String: String] = [:] {
        didSet { preferences = DesktopPreferences(settings: values, resources: resources) }
    }
    /// The preferences from both sources, the settings manager and the resource database.
    private(set) var preferences = DesktopPreferences()
    private unowned let display: Display
    /// The window of the settings manager; 0 if none is running.
    private var manager: UInt = 0

    init(_ display: Display) {
        self.display = display
        let connection = display.connection
        let root = XDefaultRootWindow(connection)
        // The events that the program has selected on the root window: 0 on our own connection, because none are
        // selected yet; nil on a host program's connection, so that the server is queried.
        let program = display.isAdopted ? nil : 0
        watch(root, besides: program)
        if let text = XResourceManagerString(connection) {
            readResources(Array(UnsafeBufferPointer(start: text, count: strlen(text) + 1)))
        }
        // A settings manager that starts later announces itself by a message to the root window, which is watched
        // above.
        takeManager(display.askForFirstWindow(), besides: program)
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
            readResources((property?.bytes ?? []).map { CChar(bitPattern: $0) } + [0])
        default: return
        }
        display.updateCursors()
        display.notify(.settings)
        display.onSettingsChange?()
    }

    private func findManager() {
        // Unregister from the previous manager's window, which may still exist.
        if manager != 0 { display.unregister(self, for: manager) }
        takeManager(XGetSelectionOwner(display.connection, display.settingsSelection))
    }

    private func takeManager(_ owner: UInt, besides program: Int? = nil) {
        manager = owner
        guard manager != 0 else {
            values = [:]
            return
        }
        watch(manager, besides: program)
        readSettings()
    }

    /// Selects the events of another client's window that this object needs: its destruction and its property changes.
    private func watch(_ window: UInt, besides program: Int?) {
        display.register(
            self, for: window, selecting: StructureNotifyMask | PropertyChangeMask, besides: program)
    }

    private func readSettings() {
        let property = display.atoms["_XSETTINGS_SETTINGS"]
        let bytes = display.transfers.property(property, of: manager, delete: false)?.bytes ?? []
        values = Self.parse(bytes)
    }

    /// The maximum number of bytes read from a resource database; the rest is ignored.
    private static let longestResources = 1 << 20

    /// Reduces a resource database, in place, to the lines that are used: those that set a value which is read
    /// here, by Xft or by libXcursor.
    ///
    /// Any client can write the database. If it were not reduced, Xlib would keep each name that it parses, take
    /// seconds for a megabyte of names, and open any file that an `#include` names. O(n) for at most a megabyte.
    ///
    /// - Parameter keepingOthers: whether to keep other lines as well. Lines that include files then become
    ///   comments.
    static func reduce(_ text: UnsafeMutablePointer<CChar>, keepingOthers: Bool = false) {
        var length = strnlen(text, longestResources)
        if length == longestResources { while length > 0, text[length - 1] != 0x0a { length -= 1 } }
        var (start, kept) = (0, 0)
        var goesOn = false
        while start < length {
            let end = memchr(text + start, 0x0a, length - start).map { $0 - UnsafeMutableRawPointer(text) } ?? length
            let next = min(end + 1, length)
            let line = UnsafeMutableBufferPointer(start: text + start, count: end - start)
            let first = line.firstIndex { $0 != 0x20 && $0 != 0x09 }.map { line[$0] }
            let isComment = first == 0x21 || first == 0x23
            let slashes = line.reversed().prefix { $0 == 0x5c }.count
            // A line that continues the value before it is not parsed as a comment or a setting. Drop it, unless
            // `keepingOthers`.
            let isKept = keepingOthers || !goesOn && isAskedFor(line)
            if keepingOthers { disarm(line) } else if isKept, slashes > 0 { line[line.count - 1] = 0x20 }
            goesOn = slashes % 2 == 1 && (goesOn || !isComment)
            if isKept {
                memmove(text + kept, text + start, next - start)
                kept += next - start
            }
            start = next
        }
        text[kept] = 0
    }

    /// Turns a line into a comment if it includes a file.
    private static func disarm(_ line: UnsafeMutableBufferPointer<CChar>) {
        func isBlank(_ byte: CChar) -> Bool { byte == 0x20 || byte == 0x09 }
        guard let sign = line.firstIndex(where: { !isBlank($0) }), line[sign] == 0x23 else { return }
        if line[(sign + 1)...].drop(while: isBlank).starts(with: "include".utf8.map { CChar($0) }) { line[sign] = 0x21 }
    }

    /// Whether a line of the database sets a value that is read, such as `Xft.dpi: 96`, also with the wildcards `*` or
    /// `?`.
    private static func isAskedFor(_ line: UnsafeMutableBufferPointer<CChar>) -> Bool {
        guard let colon = line.prefix(64).firstIndex(of: 0x3a) else { return false }
        let name = String(decoding: line[..<colon].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let parts = name.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
            .split { $0 == "." || $0 == "*" }.map(String.init)
        guard let last = parts.last, parts.count <= 2, lastParts.contains(last) else { return false }
        return parts.count == 1 || programs.contains(parts[0])
    }

    /// The first components of the resource names that are used. Names of other programs are ignored.
    private static let programs: Set<String> = ["Xft", "Xcursor", "inkstone", "Inkstone", "?"]
    /// The last components of the resource names that this module, Xft or libXcursor reads.
    private static let lastParts = fontNames.union([
        "render", "scale", "maxglyphmemory", "maxunreffonts", "trackmemusage", "anim", "core", "dither", "resized",
        "size", "theme",
        "theme_core", "multiClickTime", "MultiClickTime",
    ])

    private func readResources(_ all: [CChar]) {
        var text = all
        Self.reduce(&text)
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

    /// The names of Xft's font settings.
    static let fontNames: Set<String> = [
        "antialias", "hinting", "hintstyle", "rgba", "lcdfilter", "autohint", "embolden", "minspace", "dpi",
    ]

    /// Parses the property of a settings manager (XSETTINGS 0.5, “Settings format”). A malformed setting ends the
    /// list.
    static func parse(_ bytes: [UInt8]) -> [String: DesktopSetting] {
        var reader = Reader(bytes: bytes)
        var result: [String: DesktopSetting] = [:]
        reader.isBigEndian = reader.byte() == 1
        reader.skip(7)
        for _ in 0..<min(reader.word() ?? 0, 10_000) {
            guard let type = reader.byte() else { break }
            reader.skip(1)
            guard let length = reader.half(), let name = reader.text(Int(length)) else { break }
            // After the name comes the serial of the setting's last change.
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

    /// A reader of the property's integers and of its strings, which are padded to multiples of 4 bytes. Each method
    /// returns nil if the bytes end too early.
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
    /// The desktop's settings by their XSETTINGS names, such as `Net/DoubleClickTime` (milliseconds); empty if no
    /// settings manager is running. Changes are reported by ``onSettingsChange``.
    package var settings: [String: DesktopSetting] { desktop.values }

    /// The desktop's preferences, from XSETTINGS and, for some that are not set there, from the resource database
    /// (`xrdb`). Changes are reported to observers, see ``observeChanges(by:_:)``.
    public var preferences: DesktopPreferences { desktop.preferences }

    /// The user's font settings by fontconfig's names: `antialias`, `hinting`, `hintstyle`, `rgba`, `lcdfilter`,
    /// `autohint`, `embolden`, `minspace`, `dpi`. Values are in fontconfig's notation. XSETTINGS overrides the
    /// resource database (`Xft.*`); settings that neither sets are missing.
    public var fontSettings: [String: String] { preferences.fonts }

    var settingsSelection: Atom { intern("_XSETTINGS_S\(XDefaultScreen(connection))") }
}
