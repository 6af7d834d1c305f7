import Inkstone
import Testing

@testable import inkstone_editor

/// Parsing of inotify events about the files of a folder.
@Suite(.timeLimit(.minutes(5))) struct FileWatchTests {
    private func event(_ name: String, padding: Int) -> [UInt8] {
        let name = Array(name.utf8) + [UInt8](repeating: 0, count: padding)
        return [1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, UInt8(name.count), 0, 0, 0] + name
    }

    @Test func namesAreFoundInWhatIsRead() {
        let bytes = event("notes.txt", padding: 7) + event("", padding: 0) + event("ä", padding: 14)
        #expect(FileWatch.names(in: bytes[...]) == [Array("notes.txt".utf8), [], Array("ä".utf8)])
        // Truncated or malformed events end the list of names.
        for count in 0..<bytes.count { #expect(FileWatch.names(in: bytes[..<count]).count <= 3) }
        #expect(FileWatch.names(in: ([UInt8](repeating: 255, count: 40))[...]).count == 1)
    }

    /// When the system reports lost events (an overflow), the file is checked as if an event had named it.
    @Test func lostEventsMayBeAboutTheFile() {
        let others = event("other", padding: 3) + event("notes.txt~", padding: 6)
        #expect(!FileWatch.concern("notes.txt", others[...]))
        #expect(FileWatch.concern("notes.txt", (others + event("notes.txt", padding: 7))[...]))
        #expect(FileWatch.concern("notes.txt", (others + event("", padding: 0))[...]))
    }
}
