import CX11
import InkstoneX11

/// A manager of desktop settings (XSETTINGS 0.5).
final class SettingsManager {
    private let client: RawRequestor
    private var isAnnounced = false
    /// The window that owns the manager selection.
    var window: UInt { client.window }

    init(_ display: String) throws { client = try RawRequestor(display) }

    /// Publishes all settings. The first call acquires the manager selection and announces it.
    func publish(_ bytes: [UInt8]) {
        let connection = client.connection
        let property = client.atom("_XSETTINGS_SETTINGS")
        XChangeProperty(
            connection, client.window, property, property, 8, PropModeReplace, bytes, Int32(bytes.count))
        if !isAnnounced {
            isAnnounced = true
            let selection = client.atom("_XSETTINGS_S0")
            XSetSelectionOwner(connection, selection, client.window, 0)
            var event = XEvent()
            event.xclient.type = ClientMessage
            event.xclient.window = XDefaultRootWindow(connection)
            event.xclient.message_type = client.atom("MANAGER")
            event.xclient.format = 32
            event.xclient.data.l.1 = Int(selection)
            event.xclient.data.l.2 = Int(client.window)
            XSendEvent(connection, XDefaultRootWindow(connection), 0, StructureNotifyMask, &event)
        }
        XSync(connection, 0)
    }

    /// Publishes the resolution in dots per inch as the only setting.
    func publish(dpi: Int) {
        var data = SettingsData(count: 1)
        data.integer("Xft/DPI", UInt32(dpi) * 1024)
        publish(data.bytes)
    }

    /// Closes the connection, which removes the settings.
    func end() { client.close() }
}

/// A serializer of settings in the XSETTINGS format.
struct SettingsData {
    let isBigEndian: Bool
    var bytes: [UInt8]

    init(isBigEndian: Bool = false, count: UInt32) {
        self.isBigEndian = isBigEndian
        bytes = [isBigEndian ? 1 : 0, 0, 0, 0]
        number(1, 4)
        number(count, 4)
    }

    mutating func integer(_ name: String, _ value: UInt32) {
        head(0, name)
        number(value, 4)
    }

    mutating func string(_ name: String, _ value: String) {
        head(1, name)
        number(UInt32(value.utf8.count), 4)
        text(value)
    }

    mutating func color(_ name: String, _ parts: [UInt32]) {
        head(2, name)
        for part in parts { number(part, 2) }
    }

    private mutating func head(_ type: UInt8, _ name: String) {
        bytes += [type, 0]
        number(UInt32(name.utf8.count), 2)
        text(name)
        number(7, 4)
    }

    private mutating func text(_ text: String) {
        bytes += Array(text.utf8)
        while bytes.count % 4 != 0 { bytes.append(0) }
    }

    private mutating func number(_ value: UInt32, _ size: Int) {
        let little = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
        bytes += isBigEndian ? little.reversed() : little
    }
}
