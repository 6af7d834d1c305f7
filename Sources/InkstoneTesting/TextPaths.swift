import InkstoneBase
import InkstoneFiles
import InkstoneText
import InkstoneUnicode

// Overloads for tests with strings as paths of files.

extension TextFile {
    /// Reads a whole file.
    @discardableResult
    package static func read(_ path: String, encoding: TextEncoding? = nil) throws(TextFileError) -> TextFile {
        try read(FilePath(path), encoding: encoding)
    }

    /// Writes a text to a file.
    @discardableResult
    package static func write(
        _ text: Rope, to path: String, format: TextFileFormat = .utf8, expecting: FileIdentity?,
        overwriting: Bool = false, willReplace: (FileContents) -> Void = { _ in }
    ) throws(TextFileError) -> SavedFile {
        try write(
            text, to: FilePath(path), format: format, expecting: expecting, overwriting: overwriting,
            willReplace: willReplace)
    }

    /// Removes the temporary files that an interrupted save has left beside a file.
    @discardableResult
    package static func removeLeftovers(of path: String) -> Int { removeLeftovers(of: FilePath(path)) }
}

extension TextFileLoader {
    /// Creates a loader and starts reading a file.
    package convenience init(
        path: String, encoding: TextEncoding? = nil, pausingAfterStart: Bool = false, post: @escaping Post,
        receive: @escaping (Event) -> Void
    ) {
        self.init(
            path: FilePath(path), encoding: encoding, pausingAfterStart: pausingAfterStart, post: post, receive: receive
        )
    }
}

extension TextFileSaver {
    /// Creates a saver and starts writing a file.
    package convenience init(
        _ text: Rope, to path: String, expecting: FileIdentity?, post: @escaping TextFileLoader.Post,
        receive: @escaping (Outcome) -> Void
    ) {
        self.init(text, to: FilePath(path), expecting: expecting, post: post, receive: receive)
    }
}

extension FileIdentity {
    /// Creates the identity of the file at a path; nil if there is no file.
    package init?(path: String) { self.init(path: FilePath(path)) }
}

extension JournalBase {
    /// Creates the base of a journal, the file to which the journal's edits apply.
    package init(path: String, identity: FileIdentity?, format: TextFileFormat = .utf8) {
        self.init(path: FilePath(path), identity: identity, format: format)
    }
}

extension RecoveryJournal {
    /// Returns a function that records the new content of a save in the journal. The save calls it before it replaces
    /// the file.
    package func noteSaves(
        to path: String, format: TextFileFormat, keepingAfter mark: Mark
    ) -> @Sendable (FileContents) -> Void {
        noteSaves(to: FilePath(path), format: format, keepingAfter: mark)
    }
}

extension RecoveredDocument {
    /// Returns the recoverable documents of a file.
    package static func all(
        of path: String, directory: FilePath, includingInUse: Bool = false, except own: FilePath? = nil
    ) -> [RecoveredDocument] {
        all(of: FilePath(path), directory: directory, includingInUse: includingInUse, except: own)
    }
}

extension TextFileError {
    /// Returns the error that the file does not exist.
    package static func notFound(path: String) -> Self { .notFound(path: FilePath(path)) }
    /// Returns the error that the path is that of a directory.
    package static func isDirectory(path: String) -> Self { .isDirectory(path: FilePath(path)) }
    /// Returns the error that the path is that of a device, a pipe or a socket.
    package static func isSpecial(path: String, kind: String) -> Self { .isSpecial(path: FilePath(path), kind: kind) }
    /// Returns the error that the file on the disk differs from the version last read or saved.
    package static func changedOnDisk(path: String, change: Change) -> Self {
        .changedOnDisk(path: FilePath(path), change: change)
    }
    /// Returns the error that the directory of the file does not exist.
    package static func noDirectory(path: String, directory: String) -> Self {
        .noDirectory(path: FilePath(path), directory: FilePath(directory))
    }
    /// Returns the error that the encoding has no code for a scalar.
    package static func inexpressible(path: String, encoding: String, scalar: UInt32, line: Int) -> Self {
        .inexpressible(path: FilePath(path), encoding: encoding, scalar: scalar, line: line)
    }
    /// Returns the error that the encoding cannot represent invalid bytes.
    package static func invalidBytes(path: String, encoding: String, line: Int) -> Self {
        .invalidBytes(path: FilePath(path), encoding: encoding, line: line)
    }
    /// Returns the error that a step of writing the file failed.
    package static func writeFailed(path: String, step: String, code: Int32) -> Self {
        .writeFailed(path: FilePath(path), step: step, code: code)
    }
}

extension FontMemory {
    /// Reads the first font of each style from a file. Returns false, without using the file, if it is missing or not
    /// valid any more.
    package func recall(from path: String) -> Bool { recall(from: FilePath(path)) }
}
