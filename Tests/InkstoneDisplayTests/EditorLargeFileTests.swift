import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// A file of 1 GB in the editor; runs only with the long tests.
    @Suite(.enabled(if: getenv("INKSTONE_LONG_TESTS") != nil)) struct EditorLargeFileTests {
        private static let size = 1_000_000_000
        private static let block = Array(
            (0..<16_000).map { "Line \($0) of a long text: größer, 日本語, 👩‍👩‍👧 and plain words.\r\n" }.joined().utf8)

        /// Returns the length of the common prefix of two arrays, from an index of each, up to `count` bytes.
        private static func commonPrefix(_ a: [UInt8], _ i: Int, _ b: [UInt8], _ j: Int, _ count: Int) -> Int {
            a.withUnsafeBytes { a in
                b.withUnsafeBytes { b in
                    guard let p = a.baseAddress?.advanced(by: i), let q = b.baseAddress?.advanced(by: j),
                        memcmp(p, q, count) != 0
                    else { return count }
                    return (0..<count).first { a[i + $0] != b[j + $0] } ?? count
                }
            }
        }

        private func make(_ path: String) throws {
            let descriptor = open(path, O_WRONLY | O_CREAT, 0o644)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            var written = 0
            while written < Self.size {
                let count = Glibc.write(descriptor, Self.block, min(Self.block.count, Self.size - written))
                try #require(count > 0, "no room for a file of 1 GB in \(path)")
                written += count
            }
        }

        private func identity(_ path: String) -> [UInt64] {
            var status = stat()
            stat(path, &status)
            return [UInt64(status.st_ino), UInt64(status.st_size)]
        }

        /// Returns the insertion by which the file differs from the original: its offset and bytes. Nil if there is
        /// any other difference.
        private func insertion(in path: String) throws -> (offset: Int, bytes: [UInt8])? {
            let descriptor = open(path, O_RDONLY)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            let extra = Int(identity(path)[1]) - Self.size
            guard extra >= 0 else { return nil }
            var at = 0
            var start: Int?
            var inserted: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 1 << 20)
            while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
                var i = 0
                while i < count {
                    if start != nil, inserted.count < extra {
                        inserted.append(buffer[i])
                        i += 1
                        at += 1
                        continue
                    }
                    // Compare as many bytes at once as the repeated block still has.
                    let place = (at - inserted.count) % Self.block.count
                    let run = min(count - i, Self.block.count - place)
                    let equal = Self.commonPrefix(buffer, i, Self.block, place, run)
                    i += equal
                    at += equal
                    guard equal < run else { continue }
                    guard start == nil else { return nil }
                    start = at
                }
            }
            return at == Self.size + extra ? (start ?? at, inserted) : nil
        }

        @Test func aGigabyteIsEditedAndSavedWhileOneTypesOn() throws {
            let session = try DesktopSession()
            defer { session.end() }
            let probe = session.probe
            let path = "\(session.home)/large.txt"
            try make(path)
            let made = identity(path)
            let start = Deadline.now
            let editor = try EditorProcess(in: session, text: nil, named: "large.txt", options: ["--goto", "50%"])
            print("1 GB: a window after \(Int(Deadline.now - start)) ms")
            // A save waits until all of the file was read, and writes the same bytes.
            probe.control("s")
            try waitUntil("the first save", within: 120_000, instead: { editor.report() }) { identity(path) != made }
            print("1 GB: read and saved after \(Int(Deadline.now - start)) ms")
            let first = try #require(try insertion(in: path), "another text than was read")
            #expect(first.bytes.isEmpty)
            if let memory = ProcessTable.proportionalSetSize(of: editor.process.pid) {
                print("1 GB: \(memory) KB of memory")
                #expect(memory * 1024 <= Self.size * 12 / 10 + 40 << 20)
            }
            // Type in the middle of the file: each key must be shown although the text is being saved.
            let saved = identity(path)
            try editor.waitForInsertion(of: "[")
            probe.control("s")
            try waitUntil("a save to begin", instead: { editor.report() }) {
                TemporaryDirectory.names(in: session.home).contains { $0.hasSuffix(".inkstone") }
            }
            probe.watchPixels(of: editor.window.id)
            var slowest = 0.0
            var during = 0
            for _ in 0..<40 {
                let stall = try editor.stall {
                    probe.type("x")
                    try probe.waitForPixels("the key to be shown", within: 60_000)
                }
                slowest = max(slowest, stall)
                if identity(path) == saved { during += 1 }
            }
            print("1 GB: \(during) of 40 keys during the save, the slowest shown after \(Int(slowest)) ms")
            // At least one key was shown during the save, and none only after it, seconds later.
            #expect(during > 0 && slowest < 1000)
            try waitUntil("the second save", within: 60_000, instead: { editor.report() }) { identity(path) != saved }
            let second = identity(path)
            probe.control("s")
            try waitUntil("the third save", within: 60_000, instead: { editor.report() }) { identity(path) != second }
            probe.control("q")
            #expect(try editor.process.waitForExit(within: 60_000) == .exited(0))
            let last = try #require(try insertion(in: path), "bytes outside of the edit are not what they were")
            #expect(String(decoding: last.bytes, as: UTF8.self) == "[" + String(repeating: "x", count: 40))
            #expect(abs(last.offset - Self.size / 2) < 1_000_000, "at \(last.offset)")
        }

        /// Covers INT 69 of the checklist for interaction.
        @Test func typingIntoTheFindBarOverAGigabyteNeverWaits() throws {
            let session = try DesktopSession()
            defer { session.end() }
            let probe = session.probe
            let path = "\(session.home)/large.txt"
            try make(path)
            let made = identity(path)
            let editor = try EditorProcess(in: session, text: nil, named: "large.txt")
            // The save ends once the whole file was read.
            probe.control("s")
            try waitUntil("the save", within: 120_000, instead: { editor.report() }) { identity(path) != made }
            probe.watchPixels(of: editor.window.id)
            probe.control("f")
            _ = try probe.waitForPixels("the bar", within: 10_000)
            // A pattern found everywhere, one found nowhere, and back: each key starts a search of the whole text.
            let keys = "plain words. and nothing like it".compactMap(TestKey.init(typing:))
            var slowest = 0.0
            for key in keys + keys.map({ _ in TestKey.backspace }) {
                let stall = try editor.stall {
                    probe.strike(key)
                    _ = try probe.waitForPixels("the key to be shown", within: 60_000)
                    try probe.ping(editor.window.id)
                }
                slowest = max(slowest, stall)
            }
            print("1 GB: a key in the find bar is shown after \(Int(slowest)) ms at most")
            #expect(slowest < 250)
            #expect(!editor.currentWindow.title.contains("•"), "all of it was typed into the bar")
        }
    }
}
