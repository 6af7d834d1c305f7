import Glibc
import InkstoneTesting

/// A program of another toolkit, from `Tests/Peers`, that owns and asks for the clipboard and shows text as it is told.
package final class PeerProgram {
    /// The toolkits that there are programs of.
    package enum Toolkit: String, CaseIterable, Sendable {
        case gtk3, gtk4, qt5
    }

    private let process: ChildProcess
    private let home: String

    /// Starts one; it ends with the session.
    package init(_ toolkit: Toolkit, in session: DesktopSession, file: String = #filePath) throws {
        home = session.home
        let folder = file.split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/Peers"
        process = try session.start(
            // The distribution's own, for which the toolkits' modules are; it leaves no compiled files behind.
            "/usr/bin/python3", ["-B", "\(folder)/\(toolkit.rawValue).py"],
            adding: [
                "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "GTK_A11Y": "none", "QT_QPA_PLATFORM": "xcb",
                "GTK_IM_MODULE": "gtk-im-context-simple", "QT_IM_MODULE": "compose",
            ],
            input: .pipe, output: .pipe)
    }

    /// Has it do something; ``answer()`` follows.
    package func tell(_ words: [String]) { process.write(words.joined(separator: " ") + "\n") }

    /// What it has answered, as words; nil while it has not. Ends of the program are answers without words.
    package func answer() throws -> [Substring]? {
        guard let output = process.output else { return [] }
        var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, 0) == 1 else { return nil }
        return try process.readLine()?.split(separator: " ") ?? []
    }

    /// Where it reads and writes texts.
    package var file: String { "\(home)/peer.txt" }

    /// Ends it.
    package func end() { process.end() }
}
