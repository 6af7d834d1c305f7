import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// The editor with the text of standard input, which has no end.
    @Suite struct EditorInputTests {
        private let session: DesktopSession
        private var probe: XProbe { session.probe }

        init() throws { session = try DesktopSession(width: 800, height: 600) }

        /// Starts the editor with standard input from a pipe, in place of the file that is the last argument.
        private func start() throws -> (editor: EditorProcess, input: CInt) {
            let pipe = "\(session.home)/pipe"
            try #require(mkfifo(pipe, 0o600) == 0)
            // With both ends in this process, the editor sees no end.
            let input = open(pipe, O_RDWR | O_CLOEXEC)
            let shell = "p=$0; while [ $# -gt 1 ]; do a=\"$a '$1'\"; shift; done; eval \"exec $a -\" < \"$p\""
            return (try EditorProcess(in: session, text: nil, under: ["sh", "-c", shell, pipe]), input)
        }

        @Test func receivedInputIsSavedWhenTheReadingIsEnded() throws {
            defer { session.end() }
            let (editor, input) = try start()
            defer { close(input) }
            // The last cluster is kept back as long as more may come.
            _ = write(input, "first\nse", 8)
            try editor.waitForInsertion(of: "a")
            probe.control("s")
            probe.control("a")
            probe.type(editor.file)
            probe.strike(.enter)
            try editor.waitForQuestion(answers: 3)
            #expect(access(editor.file, F_OK) != 0)
            probe.alt("s")
            try waitUntil("the file", instead: { editor.report() }) {
                (try? TextFiles.read(editor.file)) == "afirst\nse"
            }
            _ = write(input, "cond\n", 5)
            try editor.save(expecting: "afirst\nse")
            editor.end()
        }

        /// After each crash a save of the recovered text asks about the bytes that are gone.
        @Test func lostBytesAreAskedAboutAfterTheSecondCrash() throws {
            defer { session.end() }
            let pipe = "\(session.home)/pipe"
            try #require(mkfifo(pipe, 0o600) == 0)
            let input = open(pipe, O_RDWR | O_CLOEXEC)
            // In windows-31J these bytes are a character that is encoded by other bytes.
            _ = write(input, [0x61, 0x0a, 0xfa, 0x54, 0x0a] as [UInt8], 5)
            let words = "p=$0; while [ $# -gt 1 ]; do a=\"$a '$1'\"; shift; done; "
            let read = words + "eval \"exec $a --encoding Shift_JIS -\" < \"$p\""
            let untitled = words + "eval \"exec $a\""
            var editor = try EditorProcess(in: session, text: nil, under: ["sh", "-c", read, pipe])
            close(input)
            let journals = "\(session.home)/.local/state/inkstone/recovery"
            for (round, typed) in ["1", "2"].enumerated() {
                if round > 0 {
                    editor = try EditorProcess(in: session, text: nil, under: ["sh", "-c", untitled, "-"])
                    try editor.waitForOffer()
                    probe.alt("r")
                    try waitUntil("one journal", instead: { editor.report() }) {
                        TemporaryDirectory.names(in: journals).count == 1
                    }
                }
                try editor.waitForInsertion(of: typed)
                try waitUntil("the journal", instead: { editor.report() }) {
                    TemporaryDirectory.names(in: journals).contains {
                        TypedJournal.ends(in: Character(typed), at: "\(journals)/\($0)")
                    }
                }
                editor.process.send(SIGKILL)
                _ = try editor.process.waitForExit(within: 5000)
            }
            editor = try EditorProcess(in: session, text: nil, under: ["sh", "-c", untitled, "-"])
            try editor.waitForOffer()
            probe.alt("r")
            try editor.waitForInsertion(of: "3")
            probe.control("s")
            probe.control("a")
            probe.type(editor.file)
            probe.strike(.enter)
            try editor.waitForQuestion()
            #expect(access(editor.file, F_OK) != 0)
            probe.alt("s")
            try waitUntil("the file", instead: { editor.report() }) { access(editor.file, F_OK) == 0 }
            #expect(try !TextFiles.bytes(editor.file).contains(0xfa))
            editor.end()
        }

        @Test func aCloseSavesWhatHasCome() throws {
            defer { session.end() }
            let (editor, input) = try start()
            defer { close(input) }
            _ = write(input, "first\n", 6)
            try editor.waitForInsertion(of: "a")
            probe.control("w")
            try editor.waitForQuestion(answers: 3)
            probe.alt("s")
            probe.control("a")
            probe.type(editor.file)
            probe.strike(.enter)
            try editor.waitForQuestion(answers: 3)
            probe.alt("s")
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(0))
            #expect(try TextFiles.read(editor.file) == "afirst\n")
        }
    }
}
