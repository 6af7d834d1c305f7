import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Files of every encoding and line end, opened, edited by keys and saved: unedited parts keep their bytes.
    @Suite struct EditorRoundTripTests {
        struct File: Sendable {
            var name: String
            var bytes: [UInt8]
            var options: [String] = []
            /// The bytes of “x” and a line break in this file's encoding.
            var typed: [UInt8]
            /// The byte offset of the end of the first line.
            var lineEnd: Int
        }

        private static func utf16(_ text: String, bigEndian: Bool) -> [UInt8] {
            text.utf16.flatMap { unit -> [UInt8] in
                let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xff))
                return bigEndian ? [high, low] : [low, high]
            }
        }

        private static let mark: [UInt8] = [0xef, 0xbb, 0xbf]

        static let files: [File] = [
            File(name: "plain", bytes: Array("one\ntwo\n".utf8), typed: Array("x\n".utf8), lineEnd: 3),
            File(name: "no last newline", bytes: Array("one\ntwo".utf8), typed: Array("x\n".utf8), lineEnd: 3),
            File(name: "one line", bytes: Array("one".utf8), typed: Array("x\n".utf8), lineEnd: 3),
            File(name: "empty", bytes: [], typed: Array("x\n".utf8), lineEnd: 0),
            File(name: "mark", bytes: mark + Array("one\ntwo\n".utf8), typed: Array("x\n".utf8), lineEnd: 6),
            File(name: "CR LF", bytes: Array("one\r\ntwo\r\n".utf8), typed: Array("x\r\n".utf8), lineEnd: 3),
            File(
                name: "mark, CR LF, no last newline", bytes: mark + Array("日本\r\ntwo".utf8), typed: Array("x\r\n".utf8),
                lineEnd: 9),
            File(
                name: "line ends of both kinds", bytes: Array("one\r\ntwo\nthree\r\n".utf8), typed: Array("x\r\n".utf8),
                lineEnd: 3),
            File(
                name: "bytes that are no text",
                bytes: Array("caf".utf8) + [0xe9, 0x0a, 0xff, 0xfe, 0x80, 0xf0, 0x9f, 0x0a, 0xc3],
                typed: Array("x\n".utf8),
                lineEnd: 4),
            File(
                name: "Shift_JIS", bytes: [0x93, 0xfa, 0x96, 0x7b, 0x0d, 0x0a, 0x8c, 0xea],
                options: ["--encoding", "Shift_JIS"],
                typed: Array("x\r\n".utf8), lineEnd: 4),
            File(
                name: "UTF-16LE with its mark", bytes: [0xff, 0xfe] + utf16("é😀\r\n語", bigEndian: false),
                typed: utf16("x\r\n", bigEndian: false), lineEnd: 8),
            File(
                name: "UTF-16BE by name", bytes: utf16("é\n語", bigEndian: true), options: ["--encoding", "UTF-16BE"],
                typed: utf16("x\n", bigEndian: true), lineEnd: 2),
            File(
                name: "Latin-1", bytes: [0x63, 0x61, 0x66, 0xe9, 0x0a, 0xfc], options: ["--encoding", "ISO-8859-1"],
                typed: Array("x\n".utf8), lineEnd: 4),
        ]

        @Test func uneditedTextKeepsItsBytes() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            for (index, file) in Self.files.enumerated() {
                let name = "file\(index)"
                try TextFiles.write(file.bytes, to: "\(session.home)/\(name)")
                let editor = try EditorProcess(in: session, text: nil, named: name, options: file.options)
                try editor.waitForText()
                session.probe.strike(.end)
                session.probe.type("x\n")
                let edited = Array(file.bytes[..<file.lineEnd] + file.typed + file.bytes[file.lineEnd...])
                try wait(for: edited, "\(file.name), edited", editor, session.probe)
                // After undo, the saved file equals the original.
                for _ in 0..<2 { session.probe.control("z") }
                try wait(for: file.bytes, "\(file.name), taken back", editor, session.probe)
                session.probe.control("q")
                #expect(try editor.process.waitForExit(within: 5000) == .exited(0), "\(file.name): \(editor.report())")
                #expect(try TextFiles.bytes(editor.file) == file.bytes, "\(file.name)")
            }
        }

        /// Saves until the file holds these bytes.
        private func wait(for bytes: [UInt8], _ what: String, _ editor: EditorProcess, _ probe: XProbe) throws {
            var nextSave = 0.0
            try waitUntil(
                what, watching: [probe.descriptor],
                instead: { "\((try? TextFiles.bytes(editor.file)) ?? []) instead of \(bytes)\n\(editor.report())" }
            ) {
                probe.drainEvents()
                if Deadline.now >= nextSave {
                    probe.control("s")
                    nextSave = Deadline.now + 200
                }
                return (try? TextFiles.bytes(editor.file)) == bytes
            }
        }

        /// A filter gets text, in which invalid bytes would be replaced: it runs only over text without any.
        @Test func aFilterIsNotRunOverInvalidBytes() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            try TextFiles.write(Array("line\ncaf".utf8) + [0xe9, 0x0a], to: "\(session.home)/bytes")
            let editor = try EditorProcess(in: session, text: nil, named: "bytes")
            try editor.waitForText()
            let (first, second) = ("\(session.home)/first", "\(session.home)/second")
            probe.control("a")
            try probe.chooseInMenu("df")
            probe.type("touch \(first)")
            probe.strike(.enter)
            // The valid line alone.
            probe.strike(.home, holding: [.leftControl])
            probe.strike(.down, holding: [.leftShift])
            try probe.chooseInMenu("df")
            probe.control("a")
            probe.type("touch \(second)")
            probe.strike(.enter)
            try waitUntil("the second command", within: 20_000, instead: { editor.report() }) {
                access(second, F_OK) == 0
            }
            #expect(access(first, F_OK) != 0)
            editor.end()
        }
    }
}
