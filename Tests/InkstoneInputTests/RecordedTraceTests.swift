import Glibc
import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

/// Traces recorded with real input methods (`scripts/test-input-methods --record`), replayed without a server: the
/// same calls and the same document. The last line of each trace is the saved document.
@Suite(.timeLimit(.minutes(5))) struct RecordedTraceTests {
    struct Recording: CustomStringConvertible, Sendable {
        /// The trace cannot be parsed completely.
        struct Damaged: Error, CustomStringConvertible {
            let description: String
        }

        let description: String
        let records: [TraceRecord]
        let text: String

        /// Reads a trace by name; throws ``Damaged`` if a line cannot be parsed, or the last line is not a
        /// document.
        init(_ name: String) throws {
            try self.init(name, trace: Self.read("\(Self.root)/\(name).jsonl"))
        }

        init(_ name: String, trace: String) throws {
            let (records, bad) = TraceMatching.parse(trace)
            guard bad.isEmpty else { throw Damaged(description: "\(name): lines \(bad) are no records") }
            guard case .document(let text, _) = records.last?.event else {
                throw Damaged(description: "\(name) does not end with its document")
            }
            (description, self.records, self.text) = (name, records, text)
        }

        /// The records to replay: all but the last line.
        var played: ArraySlice<TraceRecord> { records.dropLast() }

        private static let root = #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/Traces"

        /// The names of all traces.
        static let names: [String] = {
            guard let directory = opendir(root) else { return [] }
            defer { closedir(directory) }
            var names: [String] = []
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
                }
                if name.hasSuffix(".jsonl") { names.append(String(name.dropLast(6))) }
            }
            return names.sorted()
        }()

        /// Reads all traces; throws if one cannot be read.
        static func all() throws -> [Recording] { try names.map { try Recording($0) } }

        private static func read(_ path: String) -> String {
            guard let file = fopen(path, "r") else { return "" }
            defer { fclose(file) }
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer.prefix(count) }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    @Test func everyServerHasTraces() throws {
        let all = try Recording.all()
        #expect(all.count >= 12)
        for server in ["ibus", "fcitx5", "uim", "scim", "nabi"] {
            #expect(all.contains { $0.description.hasPrefix(server) }, "\(server)")
        }
        let lost = all.count { recording in
            recording.records.contains { if case .link(_, .some) = $0.event { true } else { false } }
        }
        #expect(lost >= 3, "of servers that were killed")
    }

    /// A trace that can no longer be parsed must fail the test, not pass.
    @Test func aDamagedTraceIsAFailure() throws {
        let whole = try #require(Recording.names.first.map { try Recording($0) }).records.map(\.line)
        #expect(throws: Never.self) { try Recording("whole", trace: whole.joined(separator: "\n")) }
        for damaged in [
            whole.dropLast(), ["{\"type\": \"nonsense\"}"] + whole[...],
            [String(whole[0].dropLast())] + whole.dropFirst(),
            [],
        ] {
            #expect(throws: Recording.Damaged.self) {
                try Recording("damaged", trace: damaged.joined(separator: "\n"))
            }
        }
    }

    @Test(arguments: Recording.names) func aReplayMakesTheSameCallsAndDocument(_ name: String) throws {
        let recording = try Recording(name)
        for _ in 0..<2 {
            let view = ReferenceTextView("", columns: 40)
            let differences = TraceReplay(Array(recording.played)).run(on: view)
            #expect(differences.isEmpty, "\(differences.prefix(3))")
            #expect(view.string == recording.text)
        }
    }

    /// An asynchronous client that passes keys to the system, later or at once.
    @Test(arguments: Recording.names, [AsyncView.Plan.declined(after: 0), .deferred(after: 0)])
    func anAsynchronousClientIsCalledTheSame(_ name: String, _ plan: AsyncView.Plan) throws {
        let recording = try Recording(name)
        let view = AsyncView("", columns: 40)
        view.plan = plan
        let differences = TraceReplay(Array(recording.played)).run(on: view)
        #expect(differences.isEmpty, "\(differences.prefix(3))")
        #expect(view.string == recording.text)
    }

    /// A client with the mistake to take the server's scalar counts for UTF-16 units: the traces must contain
    /// preedits in which this makes a difference.
    @Test func aUnitErrorInPreeditsIsSeen() throws {
        let wrong = try Recording.all().filter { recording in
            var buffer = PreeditBuffer()
            let records = recording.played.map { record -> TraceRecord in
                guard case .event(.preeditDraw(var draw), let batch) = record.event else { return record }
                buffer.apply(draw)
                draw.caret = Self.scalars(of: buffer.text, utf16: draw.caret)
                return TraceRecord(time: record.time, .event(.preeditDraw(draw), batch: batch))
            }
            return !TraceReplay(records).run(on: ReferenceTextView("", columns: 40)).isEmpty
        }
        #expect(!wrong.isEmpty, "no recording has a preedit beyond the basic plane")
    }

    /// A client with the mistake to count scalars of the document instead of UTF-16 units.
    @Test func aUnitErrorInDocumentsIsSeen() throws {
        let all = try Recording.all()
        let wrong = all.filter { recording in
            let view = ScalarSelection("", columns: 40)
            _ = TraceReplay(Array(recording.played)).run(on: view)
            return view.string != recording.text
        }
        #expect(wrong.count == all.count, "the text before the caret is beyond the basic plane in each")
    }

    /// Returns the number of whole scalars in the first `utf16` units of a text.
    private static func scalars(of text: String, utf16: Int) -> Int {
        var units = 0
        var count = 0
        for scalar in text.unicodeScalars {
            units += UTF16.width(scalar)
            if units > utf16 { break }
            count += 1
        }
        return count
    }
}

/// Treats UTF-16 offsets as scalar counts when a selection is set.
private final class ScalarSelection: ReferenceTextView {
    override var selectedTextRange: TextRange? {
        get { super.selectedTextRange }
        set {
            super.selectedTextRange = newValue.map { range in
                let units = content.range(of: range)
                let offsets = [units.lowerBound, units.upperBound].map { offset in
                    UTF16Offset(String(string.unicodeScalars.prefix(offset.value)).utf16.count)
                }
                return content.textRange(offsets[0]..<offsets[1])
            }
        }
    }
}
