import Inkstone

// Values of the state of a file.
extension EditedFile {
    /// The state of typing before the first part of the file has arrived.
    struct Ahead {
        /// Whether the user is typing before the first part of the file has arrived.
        var isGoingOn = false
        /// The previous text, which is hidden meanwhile.
        var hidden = Rope()
    }

    /// The form in which the text is written.
    struct Form: Equatable {
        var format = TextFileFormat.utf8
        /// Whether the byte order mark was added by a choice of encoding.
        var isMarkChosen = false
        /// See ``EditedFile/isEncodingGuessed``.
        var isGuess = false
        /// Whether the user has accepted the encoding, although some bytes are invalid in it.
        var isAccepted = false
        /// See ``EditedFile/isLossless``.
        var isLossless = true
        /// See ``EditedFile/newline``.
        var newline = Newline.lf
        /// See ``EditedFile/hasMixedNewlines``.
        var isMixed = false
        /// The text that its bytes decoded to when they were read or saved; nil for a text without bytes.
        var source: SourceText?

        init() {}

        /// Sets the encoding. A byte order mark is kept if both encodings have one; an encoding in units of two or four bytes gets one, because
        /// without it the next program that opens the file has to guess.
        mutating func use(_ encoding: TextEncoding) {
            let encoding = encoding.withByteOrder(of: UnsafeRawBufferPointer(start: nil, count: 0))
            (isGuess, isAccepted) = (false, true)
            guard encoding != format.encoding else { return }
            let isKept = format.hasByteOrderMark && !isMarkChosen && !encoding.byteOrderMark.isEmpty
            isMarkChosen = !isKept && encoding.codeUnit != nil
            format = TextFileFormat(encoding: encoding, hasByteOrderMark: isKept || isMarkChosen)
        }

        /// The form of a file that was read.
        init(_ file: TextFile) {
            (format, isGuess, isLossless) = (file.format, file.isEncodingGuessed, file.isLossless)
            (newline, isMixed) = (file.newline, file.hasMixedNewlines)
            source = SourceText(file.text, file.format, of: file.identity)
        }
    }

    /// The text decoded from bytes in a format; undo leads back to an earlier one after reading again. Compared by reference.
    final class SourceText: Equatable {
        var text: Rope
        let format: TextFileFormat
        /// The identity of the file when it had these bytes.
        var identity: FileIdentity

        init(_ text: Rope, _ format: TextFileFormat, of identity: FileIdentity) {
            (self.text, self.format, self.identity) = (text, format, identity)
        }

        static func == (a: SourceText, b: SourceText) -> Bool { a === b }
    }

    struct SavedContent {
        /// The absolute path, with links resolved when the file was read or saved.
        var path: FilePath?
        /// The identity of the file when it had this content.
        var identity: FileIdentity?
        /// The identity that a save may replace: the same, or that of another program's version that the user chose to overwrite.
        var expected: FileIdentity?
        var text = Rope()
        var format = TextFileFormat.utf8
        /// The file that a text in a window of its own came from, while it has no file of its own.
        var origin: FilePath?

        init(
            at path: FilePath? = nil, identity: FileIdentity? = nil, text: Rope = Rope(), format: TextFileFormat = .utf8
        ) {
            (self.path, self.identity, expected, self.text, self.format) = (path, identity, identity, text, format)
        }
    }

    /// The state of reading the file again.
    struct Rereading {
        /// The path of the bytes that are read, and the identity of the file.
        let path: FilePath
        var identity: FileIdentity?
        /// The edits since then, composed.
        var typed: TextChangeSet
        var observation: TextObservation?
    }

    struct Standing {
        var path: FilePath?
        var text: Rope
        var isModified: Bool
        var form: Form
        var saved: SavedContent
    }
}
