import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// Edits of a file's text as read in one encoding, converted to edits of the text as read in another encoding. Each end
/// of an edit keeps its byte offset in the file.
public struct ByteEdits: Sendable {
    /// The edits that could be mapped, as changes of the text in the second encoding.
    public let changes: TextChangeSet
    /// The number of edits that could not be mapped: one of their ends is inside a character of the text in the second
    /// encoding, or they were left out.
    public let lostCount: Int

    /// Creates the edits by mapping them from the file's text in one format to its text in another. Edits that cannot
    /// be mapped are left out, and only counted (``lostCount``). Reads the file twice, in O(n), and decodes the line of
    /// each edit O(log n) times, unless the encoding is UTF-8. Blocks.
    ///
    /// - Parameters:
    ///   - edits: changes of the file's text in the first format.
    ///   - omitted: the indices of edits to leave out, because they may contain text of the file. Such text would stay
    ///     in the first encoding.
    ///   - other: the file's text in the second format.
    public init(
        _ edits: TextChangeSet, omitting omitted: Set<Int> = [], in path: FilePath, from format: TextFileFormat,
        to newFormat: TextFileFormat, _ other: Rope
    ) throws(TextFileError) {
        var wanted: [ByteOffset] = []
        for section in edits.changeMap {
            wanted += [section.oldByteRange.lowerBound, section.oldByteRange.upperBound]
        }
        let bytes = try Self.bytes(at: wanted, path, format)
        let offsets = try Self.offsets(of: bytes, path, newFormat)
        var builder = TextChangeSet.Builder(over: other)
        var lost = 0
        for index in 0..<edits.count {
            guard !omitted.contains(index), let low = offsets[2 * index], let high = offsets[2 * index + 1],
                low <= high
            else {
                lost += 1
                continue
            }
            builder.replace(low..<high, with: Self.text(edits.insertedText(index), in: newFormat))
        }
        changes = builder.finish()
        lostCount = lost
    }

    /// Returns an inserted text with its invalid bytes decoded in a format. An inserted text has such bytes if it
    /// was moved or copied from another place of the file.
    private static func text(_ inserted: Rope, in format: TextFileFormat) -> Rope {
        guard inserted.metrics.invalidParts > 0 else { return inserted }
        var result: [UInt8] = []
        inserted.bytes(in: inserted.byteRange).withUnsafeBufferPointer { buffer in
            guard let p = buffer.baseAddress else { return }
            var at = 0
            while at < buffer.count {
                let start = at
                let isValid = UTF8Scan.part(p, at, buffer.count).isValid
                while at < buffer.count, case let part = UTF8Scan.part(p, at, buffer.count), part.isValid == isValid {
                    at += part.length
                }
                let bytes = Array(buffer[start..<at])
                result += isValid ? bytes : text(of: bytes[...], format)
            }
        }
        return Rope(bytes: result)
    }

    /// Returns the file offsets of text offsets, which must be ascending. The result has nil for a text offset
    /// inside a character.
    private static func bytes(
        at wanted: [ByteOffset], _ path: FilePath, _ format: TextFileFormat
    ) throws(TextFileError) -> [Int?] {
        var lines = try FileLines(path, format)
        var found: [Int?] = []
        var (at, done) = (
            ByteOffset(0), format.hasByteOrderMark ? format.encoding.byteOrderMark.count : 0
        )
        while found.count < wanted.count, let line = try lines.next() {
            let end = at + line.text.count
            while found.count < wanted.count, wanted[found.count] <= end {
                let length = wanted[found.count] - at
                // Find the shortest prefix of the line's bytes that decodes to at least `length` bytes of text.
                let prefix = (0..<line.bytes.count).partitioningIndex {
                    text(of: line.bytes[..<$0], format).count >= length
                }
                let isFound = split(line, at: prefix, format) == length
                found.append(isFound ? done + prefix : nil)
            }
            (at, done) = (end, done + line.bytes.count)
        }
        return found + Array(repeating: nil, count: wanted.count - found.count)
    }

    /// Returns the text offsets of file offsets, which must be ascending. The result has nil for a file offset
    /// inside a character's bytes.
    private static func offsets(
        of wanted: [Int?], _ path: FilePath, _ format: TextFileFormat
    ) throws(TextFileError) -> [ByteOffset?] {
        var lines = try FileLines(path, format)
        var found: [ByteOffset?] = []
        var (at, done) = (
            ByteOffset(0), format.hasByteOrderMark ? format.encoding.byteOrderMark.count : 0
        )
        while found.count < wanted.count, let line = try lines.next() {
            let end = done + line.bytes.count
            while found.count < wanted.count, wanted[found.count].map({ $0 <= end }) ?? true {
                found.append(
                    wanted[found.count].flatMap { $0 < done ? nil : split(line, at: $0 - done, format) }.map {
                        at + $0
                    })
            }
            (at, done) = (at + line.text.count, end)
        }
        return found + Array(repeating: nil, count: wanted.count - found.count)
    }

    private static func text(of bytes: ArraySlice<UInt8>, _ format: TextFileFormat) -> [UInt8] {
        guard format.encoding != .utf8 else { return Array(bytes) }
        var (decoder, text) = (TextDecoder(format.encoding), [UInt8]())
        bytes.withUnsafeBytes { decoder.decode($0, isLast: true, into: &text) }
        return text
    }

    /// Returns the length of the text before a byte of a line. Nil if the byte is inside a character: the two parts
    /// of the line, decoded separately, do not give the line's text then.
    private static func split(_ line: FileLines.Line, at index: Int, _ format: TextFileFormat) -> Int? {
        if format.encoding == .utf8 {
            return line.bytes.withUnsafeBufferPointer { buffer in
                guard let p = buffer.baseAddress else { return 0 }
                var place = 0
                while place < index { place += UTF8Scan.part(p, place, buffer.count).length }
                return place == index ? index : nil
            }
        }
        let start = text(of: line.bytes[..<index], format)
        return start + text(of: line.bytes[index...], format) == line.text ? start.count : nil
    }
}
