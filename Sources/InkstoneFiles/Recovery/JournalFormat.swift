import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// The text to which a journal's edits apply: a file as it was last read or saved, or an empty text.
public struct JournalBase: Hashable, Sendable {
    /// The absolute path of the file; nil for a document that was never saved.
    public var path: FilePath?
    /// The identity of the file; nil if the file did not exist.
    public var identity: FileIdentity?
    /// The format of the file.
    public var format: TextFileFormat
    /// The file whose text is added after the journal's text, which was typed before the file's first part arrived; nil
    /// in any other case.
    public var following: FilePath?
    /// The file from which the text came, if the text was opened in a separate window because it no longer fits that
    /// file; nil in any other case.
    public var origin: FilePath?

    /// Creates a base with the given properties.
    public init(
        path: FilePath?, identity: FileIdentity?, format: TextFileFormat = .utf8, following: FilePath? = nil,
        origin: FilePath? = nil
    ) {
        self.path = path
        self.identity = identity
        self.format = format
        self.following = following
        self.origin = origin
    }

    /// The file under whose name the text is offered for recovery; nil if there is none.
    public var subject: FilePath? { path ?? following ?? origin }
}

/// An edit in a journal: a range of bytes of the text before the edit, and the text that replaces them.
struct JournalEdit {
    var low: Int
    var high: Int
    var inserted: Rope
    /// The attribute runs that the edit sets, in order. Their offsets are those of the text after the edit.
    /// Inserted text outside of the runs has no attributes.
    var styles: [JournaledRuns] = []
    /// The range from the first to the last of `styles`, in bytes of the text after the edit. Nil if there are no
    /// styles. Not written to the journal.
    var restyled: Range<Int>?

    /// Whether the edit changes nothing.
    var isEmpty: Bool { low == high && inserted.isEmpty && styles.isEmpty }
}

/// A record of a ``JournalBase`` in a journal, with the number of the first transaction whose edits apply to it.
struct JournalBaseRecord {
    /// The event after which edits apply to the recorded text.
    enum Kind: Int {
        /// The file was read or saved, or a text without a file was begun.
        case confirmed = 1
        /// The file is being saved. It may already have the recorded content, or may still have the content before.
        case coming = 4
    }

    var kind: Kind
    var base: JournalBase
    /// The identity of the file's content, if known.
    var contents: FileContents?
    /// The number of the first transaction that the recorded text does not contain.
    var kept: Int
    /// Whether transactions before this record are missing. If so, the present text cannot be recovered from the text
    /// of an earlier record.
    var isBreak = false
    /// The bytes of the file, if the journal contains a copy of it.
    var copy: ArraySlice<UInt8>?
    /// The number of edits before the next record with ``isBreak``; nil if no such record follows.
    var end: Int?
    /// The format that was last chosen for the text that results from the recorded one by edits, or in which that text
    /// was saved later. Nil if none was chosen.
    var format: TextFileFormat?
    /// Whether the journal records that the text does not encode to the bytes that it was read from. See
    /// ``JournaledFormat/isLossy``.
    var isLossy = false
}

/// The format in which the text of a journal is to be saved.
struct JournaledFormat {
    var format: TextFileFormat
    /// Whether the text was read from bytes that it does not encode to, and that neither the file of the base nor the
    /// journal has: for example from standard input.
    var isLossy = false
}

/// The decoded content of a journal.
struct JournalContent {
    /// An edit, and the numbers of its transactions. There are several if the edits of several transactions were
    /// collapsed.
    struct Entry {
        var numbers: Range<Int>
        var edit: JournalEdit
    }

    /// The texts to which the edits apply, such as files last read or saved, in the order in which they were recorded.
    var bases: [JournalBaseRecord]
    /// The edits of the complete transactions, in order.
    var edits: [Entry] = []
    /// The names of journals whose edits are also in this one.
    var replaced: [FilePath] = []
    /// The process that writes the journal; nil if the journal does not name it.
    var owner: JournalOwner?
    /// Whether the journal consists only of complete transactions, without a damaged end.
    var isWhole = true

    /// Returns the edits that apply to a recorded text; nil if they cannot be separated from the edits before it.
    func edits(after record: JournalBaseRecord) -> [Entry]? {
        let entries = record.end.map { Array(edits.prefix($0)) } ?? edits
        guard !entries.contains(where: { $0.numbers.lowerBound < record.kept && $0.numbers.upperBound > record.kept })
        else { return nil }
        return entries.filter { $0.numbers.lowerBound >= record.kept }
    }

    /// Sets the chosen format of all bases that lead to the present text by an unbroken sequence of edits.
    mutating func noteFormat(_ noted: JournaledFormat) {
        for index in bases.indices where bases[index].end == nil {
            (bases[index].format, bases[index].isLossy) = (noted.format, noted.isLossy)
        }
    }

    /// The last record of a file that was read or saved, not of a save that was only announced; nil if there is none.
    var confirmed: JournalBaseRecord? { bases.last { $0.kind == .confirmed } }
}

/// The bytes of a journal, version 6: a mark, a salt, the process that writes the journal, and records. A record is a
/// length (4 bytes), a checksum (8) and a body. Numbers are little-endian, 8 bytes each. The first record is a
/// ``JournalBaseRecord``.
///
/// Each checksum continues from the checksum of the record before it, and the first one from the salt. So a record
/// that was left over from an earlier write is not accepted as the next one. The last edit of a transaction is
/// marked; edits after the last such mark are ignored. A truncated or damaged record ends the journal. A record of
/// an unknown kind is skipped. If a version adds a kind on which edits depend, it has another mark.
///
/// An edit consists of the numbers of its transactions, a range of bytes, the length of the new text in bytes, that
/// text, and its styles. A style consists of its position, the length in bytes of its runs, the runs, and the count
/// and the ranges of the attachment contents that are kept from before. A format ends with a number that is 1 if the
/// bytes of the text are lost; journals of earlier programs have no such number. Version 5 had no such ranges. Version 4 had
/// formats in bases only. Version 3 had only the number of the process. Versions 1 and 2 had neither numbers nor
/// salt, and one base.
enum JournalFormat {
    static let mark = Array("inkstone journal 6\n".utf8)
    private static let fifthMark = Array("inkstone journal 5\n".utf8)
    private static let fourthMark = Array("inkstone journal 4\n".utf8)
    private static let thirdMark = Array("inkstone journal 3\n".utf8)
    private static let secondMark = Array("inkstone journal 2\n".utf8)
    private static let firstMark = Array("inkstone journal 1\n".utf8)
    /// The size of a record without its body, in bytes.
    static let overhead = 12
    /// The size of the part before the first record, in bytes.
    static let headSize = mark.count + 56
    private static let thirdHeadSize = mark.count + 16
    /// The maximum of offsets and numbers. Larger values are signs of damage, and calculations with them could
    /// overflow.
    private static let largest = 1 << 48

    /// The kinds of records other than ``JournalBaseRecord``.
    private enum Kind: Int {
        case edit = 2
        case lastEdit = 3
        case copy = 5
        case replaced = 6
        case contents = 7
        case format = 8
    }

    /// Returns the part before the first record, and the value from which the first checksum continues (`chain`).
    static func head(salt: UInt64, owner: JournalOwner) -> (bytes: [UInt8], chain: UInt64) {
        var bytes = mark
        put(Int(bitPattern: UInt(salt)), &bytes)
        for number in [
            owner.process, owner.start, owner.machine, owner.boot, owner.space, owner.isLocked ? 1 : 0,
        ] { put(number, &bytes) }
        return (bytes, chain(of: bytes))
    }

    /// Returns the part before the first record, and the process named in it. Nil unless the bytes are a journal of
    /// one of the last four versions.
    private static func head(of bytes: [UInt8]) -> (bytes: [UInt8], owner: JournalOwner)? {
        let isThird = bytes.starts(with: thirdMark)
        let size = isThird ? thirdHeadSize : headSize
        guard isThird || [fourthMark, fifthMark, mark].contains(where: { bytes.starts(with: $0) }), bytes.count >= size
        else { return nil }
        var reader = Reader(bytes: bytes[(mark.count + 8)..<size])
        var owner = JournalOwner(process: reader.int() ?? 0)
        if let start = reader.int(), let machine = reader.int(), let boot = reader.int(), let space = reader.int() {
            (owner.start, owner.machine, owner.boot, owner.space) = (start, machine, boot, space)
            owner.isLocked = reader.int() == 1
        }
        return (Array(bytes.prefix(size)), owner)
    }

    /// Returns the process that a journal names, even if the rest of the journal is unreadable. Nil if the journal
    /// names none.
    static func owner(of bytes: [UInt8]) -> JournalOwner? { head(of: bytes)?.owner }

    static func chain(of head: [UInt8]) -> UInt64 { checksum(head[...], after: 0) }

    static func encode(_ record: JournalBaseRecord, to bytes: inout [UInt8], chain: inout UInt64) {
        let base = record.base
        addRecord(to: &bytes, &chain) { body in
            put(record.kind.rawValue, &body)
            put(record.kept, &body)
            put(record.isBreak ? 1 : 0, &body)
            put(base.path == nil ? 0 : 1, &body)
            put(base.path?.bytes ?? [], &body)
            let identity = base.identity
            put(identity == nil ? 0 : 1, &body)
            put(Int(truncatingIfNeeded: identity?.device ?? 0), &body)
            put(Int(truncatingIfNeeded: identity?.inode ?? 0), &body)
            put(identity?.size ?? 0, &body)
            put(identity?.seconds ?? 0, &body)
            put(identity?.nanoseconds ?? 0, &body)
            put(base.format, &body)
            put(record.contents == nil ? 0 : 1, &body)
            if let contents = record.contents { put(contents, &body) }
            put(base.following?.bytes ?? [], &body)
            put(base.origin?.bytes ?? [], &body)
        }
    }

    /// The maximum size of a copy of a file that fits into a record, in bytes.
    static let largestCopy = Int(UInt32.max) - 4096

    /// Adds the record of the content of the document's file, as last read or saved. If there is a copy of the file,
    /// its bytes belong to the record and are included in `chain`, but are not appended here. The caller writes them
    /// directly after `bytes`, so that they are in memory only once.
    static func encode(
        _ contents: FileContents, before copy: ArraySlice<UInt8>?, to bytes: inout [UInt8], chain: inout UInt64
    ) {
        var body: [UInt8] = []
        put(copy == nil ? Kind.contents.rawValue : Kind.copy.rawValue, &body)
        put(contents, &body)
        var hasher = ContentHasher(seed: chain)
        body.withUnsafeBytes { hasher.update($0) }
        copy?.withUnsafeBytes { hasher.update($0) }
        chain = hasher.checksum
        withUnsafeBytes(of: UInt32(body.count + (copy?.count ?? 0)).littleEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: chain.littleEndian) { bytes.append(contentsOf: $0) }
        bytes += body
    }

    /// Adds a record that names another journal. The edits of that journal are also in this one.
    static func encodeReplaced(_ name: FilePath, to bytes: inout [UInt8], chain: inout UInt64) {
        addRecord(to: &bytes, &chain) { body in
            put(Kind.replaced.rawValue, &body)
            put(name.bytes, &body)
        }
    }

    /// Adds the format in which the text is to be saved.
    static func encode(_ noted: JournaledFormat, to bytes: inout [UInt8], chain: inout UInt64) {
        addRecord(to: &bytes, &chain) { body in
            put(Kind.format.rawValue, &body)
            put(noted.format, &body)
            put(noted.isLossy ? 1 : 0, &body)
        }
    }

    /// Adds an edit of the transactions with these numbers. `isLast` marks the last edit of the transactions.
    static func encode(
        _ edit: JournalEdit, _ numbers: Range<Int>, isLast: Bool, to bytes: inout [UInt8], chain: inout UInt64
    ) {
        addRecord(to: &bytes, &chain) { bytes in
            put(isLast ? Kind.lastEdit.rawValue : Kind.edit.rawValue, &bytes)
            put(numbers.lowerBound, &bytes)
            put(numbers.upperBound, &bytes)
            put(edit.low, &bytes)
            put(edit.high, &bytes)
            put(edit.inserted.metrics.bytes, &bytes)
            edit.inserted.forEachChunk(in: edit.inserted.byteRange) { chunk, _ in bytes.append(contentsOf: chunk) }
            for style in edit.styles {
                let coded = style.runs.coded
                put(style.start.value, &bytes)
                put(coded.count, &bytes)
                bytes += coded
                put(style.kept.count, &bytes)
                for range in style.kept {
                    put(range.lowerBound, &bytes)
                    put(range.upperBound, &bytes)
                }
            }
        }
    }

    /// Decodes all readable records. Nil if not even the first one is readable, which names the file to which the edits
    /// apply.
    static func decode(_ bytes: [UInt8]) -> JournalContent? {
        guard let head = head(of: bytes) else { return decodeOld(bytes) }
        var chain = chain(of: head.bytes)
        var at = head.bytes.count
        var content: JournalContent?
        var open: [JournalContent.Entry] = []
        var openReplaced: [FilePath] = []
        var whole = at
        let hasKept = bytes.starts(with: mark)
        while let body = next(bytes, &at, &chain) {
            var reader = Reader(bytes: body)
            guard let kind = reader.int() else { break }
            if let kind = JournalBaseRecord.Kind(rawValue: kind) {
                guard let record = record(kind, &reader) else { break }
                if content == nil { content = JournalContent(bases: []) }
                let count = content?.edits.count ?? 0
                if record.isBreak, let before = content?.bases.indices {
                    for index in before where content?.bases[index].end == nil { content?.bases[index].end = count }
                }
                if record.kind == .confirmed { content?.noteFormat(JournaledFormat(format: record.base.format)) }
                content?.bases.append(record)
            } else {
                guard content != nil else { break }
                switch Kind(rawValue: kind) {
                case .copy, .contents:
                    guard let contents = reader.contents(), let last = content?.bases.indices.last else { break }
                    let confirmed = content?.bases.lastIndex { $0.kind == .confirmed } ?? last
                    content?.bases[confirmed].contents = contents
                    if kind == Kind.copy.rawValue, reader.rest.count == contents.size {
                        content?.bases[confirmed].copy = reader.rest
                    }
                case .format:
                    if let format = reader.format() {
                        content?.noteFormat(JournaledFormat(format: format, isLossy: reader.int() == 1))
                    }
                case .replaced:
                    if let name = reader.bytes() { openReplaced.append(FilePath(name)) }
                    // Skip the assignment of `whole` below: this record belongs to the transaction after it, which may
                    // be incomplete.
                    continue
                case .edit, .lastEdit:
                    guard let first = reader.offset(), let upTo = reader.offset(), upTo > first,
                        let edit = edit(&reader, hasKept: hasKept)
                    else {
                        content?.isWhole = false
                        return content
                    }
                    open.append(JournalContent.Entry(numbers: first..<upTo, edit: edit))
                    guard kind == Kind.lastEdit.rawValue else { continue }
                    // Leave out empty edits. They only mark the end of edits that are recovered together.
                    content?.edits += open.filter { !$0.edit.isEmpty }
                    content?.replaced += openReplaced
                    (open, openReplaced) = ([], [])
                // Ignore a kind of record that a later version has added.
                case nil: break
                }
            }
            if open.isEmpty { whole = at }
        }
        content?.isWhole = whole == bytes.count
        content?.owner = head.owner
        return content
    }

    /// Returns the end in bytes of the last complete record, and its checksum. Nil if the part before the first
    /// record is damaged or of an old version.
    static func wholeSize(_ bytes: [UInt8]) -> (size: Int, chain: UInt64)? {
        guard let head = head(of: bytes) else { return nil }
        var chain = chain(of: head.bytes)
        var at = head.bytes.count
        while next(bytes, &at, &chain) != nil {}
        return (at, chain)
    }

    /// Decodes a journal of version 1 or 2: one ``JournalBaseRecord``, and transactions of one edit each. Nil for
    /// another version, or if that record is unreadable.
    private static func decodeOld(_ bytes: [UInt8]) -> JournalContent? {
        let isFirstVersion = bytes.starts(with: firstMark)
        guard isFirstVersion || bytes.starts(with: secondMark) else { return nil }
        var at = mark.count
        guard let first = nextOld(bytes, &at) else { return nil }
        var reader = Reader(bytes: first)
        guard let base = base(&reader) else { return nil }
        var content = JournalContent(bases: [JournalBaseRecord(kind: .confirmed, base: base, kept: 0)])
        while let body = nextOld(bytes, &at) {
            var reader = Reader(bytes: body)
            guard let edit = isFirstVersion ? firstEdit(&reader) : edit(&reader, hasKept: false) else {
                content.isWhole = false
                return content
            }
            let number = content.edits.count
            content.edits.append(JournalContent.Entry(numbers: number..<number + 1, edit: edit))
        }
        content.isWhole = at == bytes.count
        return content
    }

    private static func firstEdit(_ reader: inout Reader) -> JournalEdit? {
        guard let low = reader.offset(), let high = reader.offset(), high >= low else { return nil }
        return JournalEdit(low: low, high: high, inserted: Rope(bytes: Array(reader.rest)))
    }

    /// Reads an edit. Nil if it is damaged.
    ///
    /// - Parameter hasKept: whether styles include the ranges of kept attachment contents.
    private static func edit(_ reader: inout Reader, hasKept: Bool) -> JournalEdit? {
        guard let low = reader.offset(), let high = reader.offset(), high >= low, let text = reader.bytes() else {
            return nil
        }
        var edit = JournalEdit(low: low, high: high, inserted: Rope(bytes: Array(text)))
        while !reader.rest.isEmpty {
            guard let start = reader.offset(), var coded = reader.bytes(), let runs = AttributeRuns(coded: &coded)
            else { return nil }
            var style = JournaledRuns(start: UTF16Offset(start), runs: runs)
            if hasKept {
                guard let count = reader.offset(), count <= reader.rest.count / 16 else { return nil }
                for _ in 0..<count {
                    let reach = style.kept.last?.upperBound ?? 0
                    guard let low = reader.offset(), let high = reader.offset(), low >= reach, high > low else {
                        return nil
                    }
                    style.kept.append(low..<high)
                }
            }
            edit.styles.append(style)
        }
        return edit
    }

    private static func record(_ kind: JournalBaseRecord.Kind, _ reader: inout Reader) -> JournalBaseRecord? {
        guard let kept = reader.int(), kept >= 0, let isBreak = reader.int(), let base = base(&reader) else {
            return nil
        }
        var record = JournalBaseRecord(kind: kind, base: base, kept: kept, isBreak: isBreak == 1)
        guard let hasContents = reader.int() else { return nil }
        if hasContents == 1 { record.contents = reader.contents() }
        func path(_ bytes: ArraySlice<UInt8>?) -> FilePath? { bytes.flatMap { $0.isEmpty ? nil : FilePath($0) } }
        record.base.following = path(reader.bytes())
        record.base.origin = path(reader.bytes())
        return record
    }

    private static func base(_ reader: inout Reader) -> JournalBase? {
        guard let hasPath = reader.int(), let path = reader.bytes(), let hasIdentity = reader.int(),
            let device = reader.int(), let inode = reader.int(), let size = reader.int(), let seconds = reader.int(),
            let nanoseconds = reader.int(), let format = reader.format()
        else { return nil }
        let identity = FileIdentity(
            device: UInt64(bitPattern: Int64(device)), inode: UInt64(bitPattern: Int64(inode)), size: size,
            seconds: seconds, nanoseconds: nanoseconds)
        return JournalBase(
            path: hasPath == 1 ? FilePath(path) : nil, identity: hasIdentity == 1 ? identity : nil, format: format)
    }

    /// Adds a record whose body `put` appends. `chain` is the checksum of the record before, and is set to the checksum
    /// of this record.
    private static func addRecord(
        to bytes: inout [UInt8], _ chain: inout UInt64, _ put: (inout [UInt8]) -> Void
    ) {
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: overhead))
        put(&bytes)
        // Do not hold a slice of the array while the array is written to: each record would copy all records before it.
        bytes.withUnsafeMutableBytes { all in
            let body = UnsafeRawBufferPointer(rebasing: all[(start + overhead)...])
            chain = checksum(body, after: chain)
            all.storeBytes(of: UInt32(body.count).littleEndian, toByteOffset: start, as: UInt32.self)
            all.storeBytes(of: chain.littleEndian, toByteOffset: start + 4, as: UInt64.self)
        }
    }

    /// Returns the body of the record at `at`, and moves `at` and `chain` past the record. Nil if the record is
    /// incomplete or damaged; then both stay unchanged.
    private static func next(_ bytes: [UInt8], _ at: inout Int, _ chain: inout UInt64) -> ArraySlice<UInt8>? {
        guard let (body, sum) = frame(bytes, at), checksum(body, after: chain) == sum else { return nil }
        chain = sum
        at = body.endIndex
        return body
    }

    private static func nextOld(_ bytes: [UInt8], _ at: inout Int) -> ArraySlice<UInt8>? {
        guard let (body, sum) = frame(bytes, at), oldChecksum(body) == sum else { return nil }
        at = body.endIndex
        return body
    }

    private static func frame(_ bytes: [UInt8], _ at: Int) -> (body: ArraySlice<UInt8>, sum: UInt64)? {
        guard bytes.count - at >= overhead else { return nil }
        let (length, sum) = bytes.withUnsafeBytes {
            (
                Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: at, as: UInt32.self))),
                UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: at + 4, as: UInt64.self))
            )
        }
        // A length of 0 means that there is no record. Each body contains at least its kind, but a file system may
        // leave zeros after a power loss.
        guard length > 0, bytes.count - at - overhead >= length else { return nil }
        return (bytes[(at + overhead)..<(at + overhead + length)], sum)
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>, after chain: UInt64) -> UInt64 {
        bytes.withUnsafeBytes { checksum($0, after: chain) }
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer, after chain: UInt64) -> UInt64 {
        var hasher = ContentHasher(seed: chain)
        hasher.update(bytes)
        return hasher.checksum
    }

    /// Returns the FNV-1a hash, which old versions use.
    private static func oldChecksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.withUnsafeBufferPointer { buffer in
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            for byte in buffer { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            return hash
        }
    }

    private static func put(_ value: Int, _ body: inout [UInt8]) {
        withUnsafeBytes(of: Int64(value).littleEndian) { body.append(contentsOf: $0) }
    }

    private static func put(_ value: String, _ body: inout [UInt8]) { put(Array(value.utf8), &body) }

    private static func put(_ value: [UInt8], _ body: inout [UInt8]) {
        put(value.count, &body)
        body += value
    }

    private static func put(_ format: TextFileFormat, _ body: inout [UInt8]) {
        put(format.encoding.name, &body)
        put(format.hasByteOrderMark ? 1 : 0, &body)
    }

    private static func put(_ contents: FileContents, _ body: inout [UInt8]) {
        put(contents.size, &body)
        put(Int(bitPattern: UInt(contents.high)), &body)
        put(Int(bitPattern: UInt(contents.low)), &body)
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

        /// Reads an offset or a number. Nil if it is negative, or so large that calculations could overflow.
        mutating func offset() -> Int? {
            guard let value = int(), value >= 0, value <= JournalFormat.largest else { return nil }
            return value
        }

        mutating func contents() -> FileContents? {
            guard let size = offset(), let high = int(), let low = int() else { return nil }
            return FileContents(size: size, high: UInt64(bitPattern: Int64(high)), low: UInt64(bitPattern: Int64(low)))
        }

        mutating func format() -> TextFileFormat? {
            guard let name = string(), let encoding = TextEncoding(named: name), let hasMark = int() else { return nil }
            return TextFileFormat(encoding: encoding, hasByteOrderMark: hasMark == 1)
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
