import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// The file from which a text was read, or to which it was saved. In lines that are unchanged, a save in the same
/// format keeps this file's bytes.
///
/// Some files need this, because their text does not encode to the same bytes: some bytes are invalid in the
/// encoding; or the encoding has two codes for a character; or the file has escapes without effect.
public struct OriginalFile: Sendable {
    /// The path of the file.
    public var path: FilePath
    /// The text of the file when it was read.
    public var text: Rope
    /// The format in which the text was read.
    public var format: TextFileFormat

    /// Creates the value from the path of a file, the text that was read from it, and the format in which it was read.
    public init(path: FilePath, text: Rope, format: TextFileFormat) {
        (self.path, self.text, self.format) = (path, text, format)
    }
}

/// A producer of the bytes of a text for a file. Lines that are the same as in an ``OriginalFile`` get the bytes of
/// that file. Other lines are encoded anew.
struct OriginalFileMerge {
    private let text: Rope
    private let original: OriginalFile
    /// The path of the save, named in errors.
    private let path: FilePath
    private let changes: TextChangeMap

    init(_ text: Rope, _ original: OriginalFile, path: FilePath) {
        (self.text, self.original, self.path) = (text, original, path)
        changes = TextChangeSet(from: original.text, to: text).changeMap
    }

    /// Passes the bytes in order to `put`, without a byte order mark. Reads the original file piece by piece. O(n).
    ///
    /// Throws ``TextFileError/bytesWouldChange(path:encoding:line:)`` in three cases: a line was changed whose old
    /// text does not encode to its old bytes; the original file has changed on disk, or cannot be opened; the
    /// result would be read as another text.
    func forEachPiece(_ put: ([UInt8]) throws(TextFileError) -> Void) throws(TextFileError) {
        var lines: FileLines
        do throws(TextFileError) {
            lines = try FileLines(original.path, original.format)
        } catch {
            throw failure(at: 0)
        }
        var (reader, read) = (TextDecoder(original.format.encoding), ByteOffset(0))
        /// Passes bytes to `put`. Checks first that they decode to the text that they stand for.
        func give(_ bytes: [UInt8], isLast: Bool = false) throws(TextFileError) {
            var again: [UInt8] = []
            bytes.withUnsafeBytes { reader.decode($0, isLast: isLast, into: &again) }
            let end = read + again.count
            guard end <= text.byteRange.upperBound, text.bytes(in: read..<end) == again else { throw failure(at: read) }
            read = end
            try put(bytes)
        }
        // The start, in the new text, of the changed lines whose bytes were not passed to `put` yet. Nil if there are
        // none.
        var changedStart: ByteOffset?
        var (at, delta) = (ByteOffset(0), 0)
        var sections = changes.makeIterator()
        var section = sections.next()
        while let line = try lines.next() {
            let end = at + line.text.count
            // Skip whole lines that were inserted before this line, because they do not change the line itself.
            while let next = section, next.oldByteRange == at..<at, endsLine(next.newByteRange) {
                changedStart = changedStart ?? at + delta
                delta += next.inserted.bytes
                section = sections.next()
            }
            let start = at + delta
            guard end <= original.text.byteRange.upperBound, original.text.bytes(in: at..<end) == line.text else {
                throw failure(at: start)
            }
            let isLast = lines.isAtEnd
            var isChanged = false
            // Count text inserted between two lines as a change of the second line.
            while let next = section, next.oldByteRange.lowerBound < end || isLast {
                isChanged = true
                guard next.oldByteRange.upperBound <= end else { break }
                delta += next.inserted.bytes - next.removed.bytes
                section = sections.next()
            }
            if isChanged {
                guard (try? encode(line.text)) == line.bytes else { throw failure(at: start) }
                changedStart = changedStart ?? start
            }
            if let first = changedStart, !isChanged || isLast {
                try give(encode(first..<(isChanged ? end + delta : start)))
                changedStart = nil
            }
            if !isChanged { try give(line.bytes) }
            at = end
        }
        try give([], isLast: true)
        guard at == original.text.byteRange.upperBound, read == text.byteRange.upperBound else {
            throw failure(at: read)
        }
    }

    private func endsLine(_ range: Range<ByteOffset>) -> Bool {
        !range.isEmpty && text.bytes(in: range.upperBound - 1..<range.upperBound) == [0x0a]
    }

    private func encode(_ range: Range<ByteOffset>) throws(TextFileError) -> [UInt8] {
        do throws(TextEncoder.Failure) {
            return try encode(text.bytes(in: range))
        } catch .inexpressible(let scalar, let offset) {
            let line = text.paragraphIndex(at: range.lowerBound + offset).value + 1
            throw .inexpressible(path: path, encoding: original.format.encoding.name, scalar: scalar, line: line)
        } catch {
            throw failure(at: range.lowerBound)
        }
    }

    private func encode(_ bytes: [UInt8]) throws(TextEncoder.Failure) -> [UInt8] {
        var (encoder, output) = (TextEncoder(original.format.encoding), [UInt8]())
        try bytes.withUnsafeBufferPointer { bytes throws(TextEncoder.Failure) in
            try encoder.encode(UnsafeRawBufferPointer(bytes), into: &output)
        }
        try encoder.finish(into: &output)
        return output
    }

    private func failure(at offset: ByteOffset) -> TextFileError {
        let line = text.paragraphIndex(at: min(offset, text.byteRange.upperBound)).value + 1
        return .bytesWouldChange(path: path, encoding: original.format.encoding.name, line: line)
    }
}
