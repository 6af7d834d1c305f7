import Inkstone
import InkstoneFiles

/// A file that was read again: the difference between the document and the file, and the caret's position in the
/// file's text.
struct RereadFile: Sendable {
    /// The file as it is now.
    let file: TextFile
    /// The version of the text that ``changes`` apply to.
    let version: TextVersion
    /// The changes that turn the document's text into the file's.
    let changes: TextChangeSet
    /// The document's unsaved edits as changes of the file's text; nil if they are not kept.
    let edits: ByteEdits?
    /// The caret in the file's text. It stays in its line if that line is unchanged; otherwise it gets the same
    /// line and column numbers.
    let caret: UTF16Offset

    /// Creates the value by reading a file and comparing it with a document. Blocks.
    ///
    /// - Parameters:
    ///   - text: the text of the document.
    ///   - saved: the document's text when it was last read or saved. Text typed since does not count in the
    ///     caret's line and column.
    ///   - caret: the caret in `text`.
    ///   - origin: the file that `saved` was read from and its format, if the edits since are to be kept. The
    ///     file's bytes must be unchanged, else ``TextFileError/changedOnDisk(path:change:)`` is thrown.
    init(
        _ path: FilePath, encoding: TextEncoding?, guess: EncodingGuess? = nil, over text: Rope, _ version: TextVersion,
        saved: Rope, caret: UTF16Offset, keepingEditsOf origin: (identity: FileIdentity, format: TextFileFormat)? = nil
    ) throws(TextFileError) {
        let file = try TextFile.read(path, encoding: encoding, guess: guess)
        self.file = file
        if let (identity, format) = origin {
            guard
                identity == file.identity
                    || TextFile.identity(of: path, ifHolding: saved, format: format) == file.identity
            else { throw .changedOnDisk(path: path, change: .modified) }
            // Compare by scalars, so that the edits contain no text that was read, even between two edits: the
            // bytes of such text are to be decoded in the file's new encoding.
            let (typed, coarse) = TextChangeSet.difference(from: saved, to: text)
            edits = try ByteEdits(typed, omitting: coarse, in: path, from: format, to: file.format, file.text)
            // Creating the edits has read the file as well: check that it was still the same file.
            guard FileIdentity(path: path) == file.identity else {
                throw .changedOnDisk(path: path, change: .modified)
            }
        } else {
            edits = nil
        }
        self.version = version
        changes = TextChangeSet(from: text, to: file.text)
        let back = TextChangeSet(from: text, to: saved)
        self.caret = Self.place(
            back.isEmpty ? caret : back.map(caret, bias: .upstream), TextChangeSet(from: saved, to: file.text), saved,
            file.text)
    }

    private static func place(_ caret: UTF16Offset, _ changes: TextChangeSet, _ old: Rope, _ new: Rope) -> UTF16Offset {
        let offset = old.byteOffset(at: caret)
        let line = old.paragraphIndex(at: offset)
        let range = old.utf16Range(of: old.byteRange(of: line))
        guard changes.touches(range) else { return changes.map(caret, bias: .upstream) }
        let column = caret - range.lowerBound
        let lines = new.paragraphCount
        guard line.value < lines else { return new.utf16Range.upperBound }
        let newLine = new.utf16Range(of: new.byteRange(of: line))
        let target = newLine.lowerBound + column
        // Clamp the caret to a grapheme boundary before the line's newline.
        let last = line.value + 1 < lines ? new.graphemeBoundary(before: newLine.upperBound) : newLine.upperBound
        return new.roundedDown(toGrapheme: min(target, max(last, newLine.lowerBound)))
    }
}
