import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// What a journal's edits start from: a file as it was read or saved last, or nothing.
public struct JournalBase: Hashable, Sendable {
    /// The file, as an absolute path; nil for a document that was never saved.
    public var path: String?
    /// What the file was; nil if it did not exist.
    public var identity: FileIdentity?
    /// How it is written.
    public var format: TextFileFormat

    /// A base by its parts.
    public init(path: String?, identity: FileIdentity?, format: TextFileFormat = .utf8) {
        self.path = path
        self.identity = identity
        self.format = format
    }
}

/// One edit in a journal: bytes of the text before it, and what took their place.
struct JournalEdit {
    /// Runs of attributes, from a place in UTF-16 units on.
    typealias Style = (start: UTF16Offset, runs: AttributeRuns)

    var low: Int
    var high: Int
    var inserted: Rope
    /// Attributes of the text after it that differ from before; inserted text has none else. In order.
    var styles: [Style] = []
    /// The bytes of the text after it that these are in, from the first to the last; nil for none. Not written.
    var restyled: Range<Int>?
}

/// The bytes of a journal: a mark, then records, each a length (4 bytes), a checksum (8) and a body. Numbers are
/// little-endian. The first record is the base, all others are edits. A record that is cut or wrong ends the journal.
///
/// An edit is a range of bytes, the length of the new text in bytes, that text, and its styles: for each the place, the length
/// in bytes of its runs, and these. Version 1 had neither length nor styles.
enum JournalFormat {
    static let mark = Array("inkstone journal 2\n".utf8)
    private static let firstMark = Array("inkstone journal 1\n".utf8)
    private static let overhead = 12

    static func encode(_ base: JournalBase) -> [UInt8] {
        var body: [UInt8] = []
        put(base.path == nil ? 0 : 1, &body)
        put(base.path ?? "", &body)
        let identity = base.identity
        put(identity == nil ? 0 : 1, &body)
        put(Int(truncatingIfNeeded: identity?.device ?? 0), &body)
        put(Int(truncatingIfNeeded: identity?.inode ?? 0), &body)
        put(identity?.size ?? 0, &body)
        put(identity?.seconds ?? 0, &body)
        put(identity?.nanoseconds ?? 0, &body)
        put(base.format.encoding.name, &body)
        put(base.format.hasByteOrderMark ? 1 : 0, &body)
        var bytes = mark
        addRecord(to: &bytes) { $0 += body }
        return bytes
    }

    /// Adds the record of an edit.
    static func encode(_ edit: JournalEdit, to bytes: inout [UInt8]) {
        addRecord(to: &bytes) { bytes in
            put(edit.low, &bytes)
            put(edit.high, &bytes)
            put(edit.inserted.metrics.bytes, &bytes)
            edit.inserted.forEachChunk(in: edit.inserted.byteRange) { chunk, _ in bytes.append(contentsOf: chunk) }
            for style in edit.styles {
                let coded = style.runs.coded
                put(style.start.value, &bytes)
                put(coded.count, &bytes)
                bytes += coded
            }
        }
    }

    /// Reads what can be read: nil if not even the base can. `isWhole` is false if bytes were left that are no record.
    static func decode(_ bytes: [UInt8]) -> (base: JournalBase, edits: [JournalEdit], isWhole: Bool)? {
        let isFirstVersion = bytes.starts(with: firstMark)
        guard isFirstVersion || bytes.starts(with: mark) else { return nil }
        var at = mark.count
        guard let first = next(bytes, &at), let base = base(first) else { return nil }
        var edits: [JournalEdit] = []
        while let body = next(bytes, &at) {
            guard let edit = edit(body, isFirstVersion: isFirstVersion) else { return (base, edits, false) }
            edits.append(edit)
        }
        return (base, edits, at == bytes.count)
    }

    private static func edit(_ body: ArraySlice<UInt8>, isFirstVersion: Bool) -> JournalEdit? {
        var reader = Reader(bytes: body)
        guard let low = reader.int(), let high = reader.int(), low >= 0, high >= low else { return nil }
        if isFirstVersion { return JournalEdit(low: low, high: high, inserted: Rope(bytes: Array(reader.rest))) }
        guard let text = reader.bytes() else { return nil }
        var edit = JournalEdit(low: low, high: high, inserted: Rope(bytes: Array(text)))
        while !reader.rest.isEmpty {
            guard let start = reader.int(), start >= 0, var coded = reader.bytes(),
                let runs = AttributeRuns(coded: &coded)
            else { return nil }
            edit.styles.append((UTF16Offset(start), runs))
        }
        return edit
    }

    private static func base(_ body: ArraySlice<UInt8>) -> JournalBase? {
        var reader = Reader(bytes: body)
        guard let hasPath = reader.int(), let path = reader.string(), let hasIdentity = reader.int(),
            let device = reader.int(), let inode = reader.int(), let size = reader.int(), let seconds = reader.int(),
            let nanoseconds = reader.int(), let name = reader.string(), let encoding = TextEncoding(named: name),
            let hasMark = reader.int()
        else { return nil }
        let identity = FileIdentity(
            device: UInt64(bitPattern: Int64(device)), inode: UInt64(bitPattern: Int64(inode)), size: size,
            seconds: seconds, nanoseconds: nanoseconds)
        return JournalBase(
            path: hasPath == 1 ? path : nil, identity: hasIdentity == 1 ? identity : nil,
            format: TextFileFormat(encoding: encoding, hasByteOrderMark: hasMark == 1))
    }

    /// Adds a record whose body `put` adds.
    private static func addRecord(to bytes: inout [UInt8], _ put: (inout [UInt8]) -> Void) {
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: overhead))
        put(&bytes)
        let body = bytes[(start + overhead)...]
        let (length, sum) = (UInt32(body.count).littleEndian, checksum(body).littleEndian)
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: length, toByteOffset: start, as: UInt32.self)
            $0.storeBytes(of: sum, toByteOffset: start + 4, as: UInt64.self)
        }
    }

    /// The body of the record at `at`, which moves past it; nil, and `at` as it was, if there is no whole one.
    private static func next(_ bytes: [UInt8], _ at: inout Int) -> ArraySlice<UInt8>? {
        guard bytes.count - at >= overhead else { return nil }
        let (length, sum) = bytes.withUnsafeBytes {
            (
                Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: at, as: UInt32.self))),
                UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: at + 4, as: UInt64.self))
            )
        }
        guard bytes.count - at - overhead >= length else { return nil }
        let body = bytes[(at + overhead)..<(at + overhead + length)]
        guard checksum(body) == sum else { return nil }
        at += overhead + length
        return body
    }

    /// FNV-1a.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.withUnsafeBufferPointer { buffer in
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            for byte in buffer { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            return hash
        }
    }

    private static func put(_ value: Int, _ body: inout [UInt8]) {
        withUnsafeBytes(of: Int64(value).littleEndian) { body.append(contentsOf: $0) }
    }

    private static func put(_ value: String, _ body: inout [UInt8]) {
        put(value.utf8.count, &body)
        body.append(contentsOf: value.utf8)
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        init(bytes: ArraySlice<UInt8>) { rest = bytes }

        mutating func int() -> Int? {
            guard rest.count >= 8 else { return nil }
            let value = rest.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) }
            rest = rest.dropFirst(8)
            return Int(value)
        }

        mutating func bytes() -> ArraySlice<UInt8>? {
            guard let count = int(), count >= 0, count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }

        mutating func string() -> String? { bytes().map { String(decoding: $0, as: UTF8.self) } }
    }
}

extension FileIdentity {
    init(device: UInt64, inode: UInt64, size: Int, seconds: Int, nanoseconds: Int) {
        self.device = device
        self.inode = inode
        self.size = size
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }
}
