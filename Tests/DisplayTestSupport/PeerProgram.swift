import Glibc
import InkstoneTesting

/// A program of another toolkit, from `Tests/Peers`, that shows text and uses the clipboard on command.
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
            // The distribution's Python, which has the toolkits' modules; `-B` leaves no compiled files.
            "/usr/bin/python3", ["-B", "\(folder)/\(toolkit.rawValue).py"],
            adding: [
                "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "GTK_A11Y": "none", "QT_QPA_PLATFORM": "xcb",
                "GTK_IM_MODULE": "gtk-im-context-simple", "QT_IM_MODULE": "compose",
            ],
            input: .pipe, output: .pipe)
    }

    /// Sends a command; the result is read by ``answer()``.
    package func send(_ words: [String]) { process.write(words.joined(separator: " ") + "\n") }

    /// The words of the program's answer; nil until it answers. The end of the program is an answer without words.
    package func answer() throws -> [Substring]? {
        guard let output = process.output else { return [] }
        var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, 0) == 1 else { return nil }
        return try process.readLine()?.split(separator: " ") ?? []
    }

    /// The file from which the program reads texts, and to which it writes them.
    package var file: String { "\(home)/peer.txt" }

    /// Ends it.
    package func end() { process.end() }
}
