import Glibc

/// A `dbus-daemon` for a test alone, with a home folder and an address of its own. It is ended when the object is
/// released.
package final class PrivateBus {
    /// The error that the bus did not start.
    package struct Failure: Error {
        package let reason: String
    }

    /// The home folder of programs on this bus.
    package let directory: OwnedDirectory
    /// The address of the bus, as in `DBUS_SESSION_BUS_ADDRESS`.
    package let address: String
    /// The process of the daemon, for tests that stop or kill it.
    package private(set) var daemon: ChildProcess

    private let matchRules: Int

    /// Creates a bus and starts its daemon.
    ///
    /// - Parameter matchRules: the maximum number of match rules of a connection.
    package init(matchRules: Int = 512) throws {
        self.matchRules = matchRules
        directory = try OwnedDirectory()
        let path = directory.path + "/bus"
        // The path of a socket is limited to 108 bytes, including the terminating zero.
        guard path.utf8.count < 108 else { throw Failure(reason: "TMPDIR is too long for a socket: \(path)") }
        address = "unix:path=" + path.utf8.map(Self.escaped).joined()
        daemon = try Self.start(directory.path, address, matchRules)
    }

    deinit { daemon.end() }

    /// Ends the daemon, and starts another one at the same address.
    package func restart() throws {
        daemon.end()
        unlink(directory.path + "/bus")
        daemon = try Self.start(directory.path, address, matchRules)
    }

    /// Returns a byte as it is escaped in an address (D-Bus Specification, *Server Addresses*); characters that are
    /// special in XML are escaped too.
    private static func escaped(_ byte: UInt8) -> String {
        let character = Character(UnicodeScalar(byte))
        return character.isASCII && (character.isLetter || character.isNumber || "-_/.".contains(character))
            ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }

    /// Starts a session bus whose policy allows everything, including unrequested replies.
    private static func start(_ home: String, _ address: String, _ matchRules: Int) throws -> ChildProcess {
        let configuration = home + "/bus.conf"
        try TextFiles.write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type><listen>\(address)</listen><auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
            <allow send_requested_reply="false" send_type="method_return"/>
            <allow send_requested_reply="false" send_type="error"/>
            <allow receive_requested_reply="false" receive_type="method_return"/>
            <allow receive_requested_reply="false" receive_type="error"/>
              </policy>
              <limit name="max_incoming_bytes">1000000000</limit><limit name="max_outgoing_bytes">1000000000</limit>
              <limit name="max_message_size">1000000000</limit><limit name="max_replies_per_connection">50000</limit>
              <limit name="max_match_rules_per_connection">\(matchRules)</limit>
              <limit name="max_completed_connections">1000</limit><limit name="max_connections_per_user">1000</limit>
            </busconfig>
            """, to: configuration)
        // Redirect standard error to a file: messages about limits of the system would clutter the output of the
        // tests.
        let daemon = try ChildProcess(
            "dbus-daemon", ["--config-file=" + configuration, "--nofork", "--nopidfile", "--print-address"],
            environment: ["HOME": home, "PATH": "/usr/local/bin:/usr/bin:/bin"], output: .pipe,
            errors: .file(home + "/bus.log"))
        guard try daemon.readLine() != nil else {
            let log = (try? TextFiles.read(home + "/bus.log")) ?? ""
            throw Failure(reason: "dbus-daemon does not start at \(address): \(log)")
        }
        return daemon
    }
}
