import Glibc

/// A `dbus-daemon` of a test's own, with a home and an address of its own; ended with the value.
package final class PrivateBus {
    /// The bus did not start.
    package struct Failure: Error {}

    /// The home of what runs on this bus.
    package let directory: OwnedDirectory
    /// The address, as in `DBUS_SESSION_BUS_ADDRESS`.
    package let address: String
    /// The bus itself, to be stopped and killed.
    package private(set) var daemon: ChildProcess

    package init() throws {
        directory = try OwnedDirectory()
        address = "unix:path=" + directory.path + "/bus"
        daemon = try Self.start(directory.path, address)
    }

    deinit { daemon.end() }

    /// Ends the bus and starts another at the same address.
    package func restart() throws {
        daemon.end()
        unlink(directory.path + "/bus")
        daemon = try Self.start(directory.path, address)
    }

    /// A session bus, whose rules let everybody do everything.
    private static func start(_ home: String, _ address: String) throws -> ChildProcess {
        let configuration = home + "/bus.conf"
        try TextFiles.write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type><listen>\(address)</listen><auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
              </policy>
              <limit name="max_incoming_bytes">1000000000</limit><limit name="max_outgoing_bytes">1000000000</limit>
              <limit name="max_message_size">1000000000</limit><limit name="max_replies_per_connection">50000</limit>
              <limit name="max_completed_connections">1000</limit><limit name="max_connections_per_user">1000</limit>
            </busconfig>
            """, to: configuration)
        // Its complaints of the system's limits are of no interest.
        let daemon = try ChildProcess(
            "dbus-daemon", ["--config-file=" + configuration, "--nofork", "--nopidfile", "--print-address"],
            environment: ["HOME": home, "PATH": "/usr/local/bin:/usr/bin:/bin"], output: .pipe,
            errors: .file(home + "/bus.log"))
        guard try daemon.readLine() != nil else { throw Failure() }
        return daemon
    }
}
