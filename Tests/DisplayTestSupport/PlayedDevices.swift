import Glibc
import InkstoneTesting

/// An X server with simulated mouse and touch screen: Xorg with the drivers `dummy` and `inputtest`, which has the
/// scroll axes and touches that Xvfb and XTEST lack. `scripts/setup --tests` installs its packages.
package final class PlayedDevices {
    /// The server.
    package let server: XServer
    private let directory: String
    private var sockets: [Device: CInt] = [:]

    /// A simulated input device.
    package enum Device: String, Hashable, Sendable, CaseIterable {
        /// A mouse with a wheel of fine steps.
        case mouse
        /// A screen that is touched.
        case touch
    }

    /// The phases of a touch, by the driver's numbers.
    package enum TouchPhase: UInt32, Hashable, Sendable {
        case began = 18
        case moved, ended
    }

    private static let program = "/usr/lib/xorg/Xorg"
    /// Whether the server and its drivers are installed.
    package static var areInstalled: Bool {
        let files =
            [program] + ["input/inputtest_drv.so", "drivers/dummy_drv.so"].map { "/usr/lib/xorg/modules/\($0)" }
        return files.allSatisfy { access($0, R_OK) == 0 }
    }

    /// Starts the server with a screen of 1280 × 900 pixels.
    package init() throws {
        directory = try TemporaryDirectory.make()
        let configuration = "\(directory)/xorg.conf"
        try TextFiles.write(Array(Self.configuration(directory).utf8), to: configuration)
        server = try XServer(
            starting: Self.program,
            [
                "-displayfd", "1", "-config", configuration, "-logfile", "\(directory)/log", "-noreset", "-nolisten",
                "tcp", "-dpi", "96",
            ])
        for device in Device.allCases { sockets[device] = try connect(device) }
    }

    /// Ends the server. The driver takes no second connection, so the sockets stay open until then.
    package func end() {
        server.end()
        for socket in sockets.values { close(socket) }
        TemporaryDirectory.remove(directory)
    }

    private static func configuration(_ directory: String) -> String {
        func input(_ name: String, _ type: String) -> String {
            """
            Section "InputDevice"
              Identifier "\(name)"
              Driver "inputtest"
              Option "SocketPath" "\(directory)/\(name)"
              Option "DeviceType" "\(type)"
            EndSection

            """
        }
        return """
            Section "ServerFlags"
              Option "AutoAddDevices" "false"
            EndSection
            Section "Device"
              Identifier "card"
              Driver "dummy"
              VideoRam 65536
            EndSection
            Section "Monitor"
              Identifier "monitor"
              HorizSync 5.0-1000.0
              VertRefresh 5.0-1000.0
              Modeline "1280x900" 96.00 1280 1344 1476 1680 900 903 913 954
            EndSection
            Section "Screen"
              Identifier "screen"
              Device "card"
              Monitor "monitor"
              DefaultDepth 24
              SubSection "Display"
                Depth 24
                Modes "1280x900"
              EndSubSection
            EndSection
            Section "ServerLayout"
              Identifier "layout"
              Screen "screen"
              InputDevice "keyboard" "CoreKeyboard"
              InputDevice "mouse" "CorePointer"
              InputDevice "touch" "SendCoreEvents"
            EndSection

            """ + input("keyboard", "Keyboard") + input("mouse", "Pointer") + input("touch", "Touch")
    }

    // MARK: The drivers' protocol (xf86-input-inputtest-protocol.h)

    private func connect(_ device: Device) throws -> CInt {
        let path = Array("\(directory)/\(device.rawValue)".utf8)
        let socket = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.prefix($0.count - 1)) }
        let isConnected = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard isConnected == 0 else {
            close(socket)
            throw TimedOut(what: "the played \(device)", milliseconds: 0, instead: String(cString: strerror(errno)))
        }
        send([12, 0, 1 | 1 << 16], to: socket)
        receive(12, from: socket)
        return socket
    }

    private func send(_ words: [UInt32], block: [UInt8] = [], to socket: CInt) {
        let bytes = words.withUnsafeBytes(Array.init) + block
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { write(socket, $0.baseAddress.map { $0 + sent }, bytes.count - sent) }
            guard count > 0 else { return }
            sent += count
        }
    }

    private func receive(_ count: Int, from socket: CInt) {
        var bytes = [UInt8](repeating: 0, count: count)
        var got = 0
        while got < count {
            let more = recv(socket, &bytes, count - got, 0)
            guard more > 0 else { return }
            got += more
        }
    }

    /// Encodes axis values as the driver reads them.
    private func block(_ values: [Int: Double]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16 + 2 * 64 * 8)
        for (axis, value) in values {
            bytes[4 + axis / 8] |= 1 << UInt8(axis % 8)
            withUnsafeBytes(of: value) { value in
                for start in [16, 16 + 64 * 8] {
                    bytes.replaceSubrange(start + 8 * axis..<start + 8 * axis + 8, with: value)
                }
            }
        }
        return bytes
    }

    /// Waits until the server has processed all simulated input.
    package func sync() {
        for socket in sockets.values {
            send([8, 1], to: socket)
            receive(8, from: socket)
        }
    }

    /// Moves the mouse by a distance in pixels.
    package func moveMouse(dx: Double, dy: Double) { motion([0: dx, 1: dy]) }

    /// Turns the wheel: 120 is a click, down and right are positive.
    package func turnWheel(dx: Double = 0, dy: Double = 0) {
        motion([2: dx, 3: dy].filter { $0.value != 0 })
    }

    private func motion(_ values: [Int: Double]) {
        guard let socket = sockets[.mouse] else { return }
        send([1056, 2, 0, 0], block: block(values), to: socket)
    }

    /// Performs a phase of a touch at a point in root pixels.
    ///
    /// - Parameter id: distinguishes simultaneous touches.
    package func touch(_ phase: TouchPhase, id: UInt32, x: Double, y: Double) {
        guard let socket = sockets[.touch] else { return }
        // The touch axes range from 0 to 65535 over the screen.
        send([1056, 6, id, phase.rawValue], block: block([0: x / 1280 * 65536, 1: y / 900 * 65536]), to: socket)
    }

    /// Presses or releases a button of the mouse.
    package func button(_ number: UInt32, down: Bool) {
        guard let socket = sockets[.mouse] else { return }
        send([1064, 4, 0, number, down ? 1 : 0, 0], block: block([:]), to: socket)
    }
}
