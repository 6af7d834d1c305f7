import Inkstone
import InkstoneFiles

// The types of the parts of the state of an `EditedFile`.
extension EditedFile {
    /// The state of typing before the first part of a file has arrived.
    struct EarlyInput {
        /// Whether typing is possible now although the first part of the file has not arrived.
        var isGoingOn = false
        /// The document's previous text, which is hidden until the first part of the file arrives.
        var hidden = Rope()
    }

    /// The form in which the document is written: its format and line ends, and what is known about its encoding.
    struct Form: Equatable {
        var format = TextFileFormat.utf8
        /// The encoding in which the file's bytes were read or saved: the next reading uses it. It differs from that of
        /// ``format`` if the user has chosen another encoding for the next save.
        var bytesEncoding = TextEncoding.utf8
        /// The encoding in which the text was read, and so that of its invalid bytes. A save in another encoding cannot
        /// keep them.
        var readEncoding = TextEncoding.utf8
        /// The identity of the file's bytes and of the encoding in which they were read.
        var decoding = DocumentID()
        /// Whether the byte order mark was added because the user chose the encoding, rather than found in the
        /// file.
        var isMarkChosen = false
        /// Whether the encoding was guessed, because the bytes of the file do not show it.
        var isGuess = false
        /// Whether the user has agreed to the encoding or chosen it. Bytes that are invalid in it are not reported
        /// then.
        var isAccepted = false
        /// Whether encoding the text as it was read gives the bytes of the file again.
        var isLossless = true
        /// The line end that typed text gets.
        var newline = Newline.lf
        /// Whether the line ends are mixed: the first 64 KB of the file contained more than one kind when it was
        /// read. False once a kind was chosen for all lines.
        var isMixed = false
        /// The text that the file's bytes were decoded to when they were read or saved; nil for a document without
        /// a file.
        var source: SourceText?

        init() {}

        /// Sets the encoding for the next saves, and records that the user has chosen it. A byte order mark that the
        /// file had is kept if the new encoding has one. A new UTF-16 or UTF-32 encoding always gets one, because
        /// without it the next program that opens the file has to guess.
        mutating func use(_ encoding: TextEncoding) {
            let encoding = encoding.withByteOrder(of: UnsafeRawBufferPointer(start: nil, count: 0))
            (isGuess, isAccepted) = (false, true)
            guard encoding != format.encoding else { return }
            let isKept = format.hasByteOrderMark && !isMarkChosen && !encoding.byteOrderMark.isEmpty
            isMarkChosen = !isKept && encoding.codeUnit != nil
            format = TextFileFormat(encoding: encoding, hasByteOrderMark: isKept || isMarkChosen)
        }

        /// Creates the form of a file that was read: its format and line ends, and what reading has shown about its
        /// encoding.
        init(_ file: TextFile) {
            (format, isGuess, isLossless) = (file.format, file.isEncodingGuessed, file.isLossless)
            (newline, isMixed) = (file.newline, file.hasMixedNewlines)
            (bytesEncoding, readEncoding) = (file.format.encoding, file.format.encoding)
            source = SourceText(file.text, file.format, of: file.identity)
        }
    }

    /// The text decoded from a file's bytes in a format. Each reading of the file creates a new object, and undoing a
    /// reload restores the earlier one. Compared by reference.
    final class SourceText: Equatable {
        var text: Rope
        let format: TextFileFormat
        /// The identity of the file when it had the bytes of this text.
        var identity: FileIdentity

        init(_ text: Rope, _ format: TextFileFormat, of identity: FileIdentity) {
            (self.text, self.format, self.identity) = (text, format, identity)
        }

        static func == (a: SourceText, b: SourceText) -> Bool { a === b }
    }

    /// The content of the file when it was last read or saved, and the file's identity.
    struct SavedContent {
        /// The absolute path of the file, with symbolic links resolved when it was last read or saved; nil without
        /// a file.
        var path: FilePath?
        /// The identity of the file when it was last read or saved; nil if there was no such file.
        var identity: FileIdentity?
        /// The identity of the file that a save may replace: ``identity``, or the identity of another program's
        /// version that the user chose to overwrite. Nil if there is no file to replace.
        var expected: FileIdentity?
        var text = Rope()
        var format = TextFileFormat.utf8
        /// If this document is the recovered text of a file, opened apart from that file: the path of that file.
        /// Nil otherwise, and once this document has a file of its own.
        var origin: FilePath?

        init(
            at path: FilePath? = nil, identity: FileIdentity? = nil, text: Rope = Rope(), format: TextFileFormat = .utf8
        ) {
            (self.path, self.identity, expected, self.text, self.format) = (path, identity, identity, text, format)
        }
    }

    /// The state of reading the file again while the document is edited.
    struct Rereading {
        /// The path of the file that is read again.
        let path: FilePath
        /// The identity of the file when reading began; nil if it did not exist.
        var identity: FileIdentity?
        /// All edits of the document since reading began, composed into one change.
        var typed: TextChangeSet
        var observation: TextObservation?
    }

    /// The previous document, to be restored if the requested file cannot be read.
    struct PreviousDocument {
        var path: FilePath?
        var text: Rope
        var isModified: Bool
        var form: Form
        var saved: SavedContent
    }
}
