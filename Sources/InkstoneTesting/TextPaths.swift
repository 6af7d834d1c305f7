import InkstoneBase
import InkstoneFiles
import InkstoneText
import InkstoneUnicode

// Tests name their files by text.

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

    /// Removes what saves left beside a file.
    @discardableResult
    package static func removeLeftovers(of path: String) -> Int { removeLeftovers(of: FilePath(path)) }
}

extension TextFileLoader {
    /// Starts to read.
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
    /// Starts to write.
    package convenience init(
        _ text: Rope, to path: String, expecting: FileIdentity?, post: @escaping TextFileLoader.Post,
        receive: @escaping (Outcome) -> Void
    ) {
        self.init(text, to: FilePath(path), expecting: expecting, post: post, receive: receive)
    }
}

extension FileIdentity {
    /// The identity of the file at a path.
    package init?(path: String) { self.init(path: FilePath(path)) }
}

extension JournalBase {
    /// A base by its parts.
    package init(path: String, identity: FileIdentity?, format: TextFileFormat = .utf8) {
        self.init(path: FilePath(path), identity: identity, format: format)
    }
}

extension RecoveryJournal {
    /// Notes what a save is about to put in a file's place.
    package func noteSaves(
        to path: String, format: TextFileFormat, keepingAfter mark: Mark
    ) -> @Sendable (FileContents) -> Void {
        noteSaves(to: FilePath(path), format: format, keepingAfter: mark)
    }
}

extension RecoveredDocument {
    /// The documents of a file that can be had back.
    package static func all(
        of path: String, directory: FilePath, includingInUse: Bool = false, except own: FilePath? = nil
    ) -> [RecoveredDocument] {
        all(of: FilePath(path), directory: directory, includingInUse: includingInUse, except: own)
    }
}

extension TextFileError {
    /// There is no such file.
    package static func notFound(path: String) -> Self { .notFound(path: FilePath(path)) }
    /// The path is a directory's.
    package static func isDirectory(path: String) -> Self { .isDirectory(path: FilePath(path)) }
    /// The path is a device's, a pipe's or a socket's.
    package static func isSpecial(path: String, kind: String) -> Self { .isSpecial(path: FilePath(path), kind: kind) }
    /// The file on disk is not what was read or saved last.
    package static func changedOnDisk(path: String, change: Change) -> Self {
        .changedOnDisk(path: FilePath(path), change: change)
    }
    /// There is no such directory to put the file in.
    package static func noDirectory(path: String, directory: String) -> Self {
        .noDirectory(path: FilePath(path), directory: FilePath(directory))
    }
    /// The encoding has no code for a scalar.
    package static func inexpressible(path: String, encoding: String, scalar: UInt32, line: Int) -> Self {
        .inexpressible(path: FilePath(path), encoding: encoding, scalar: scalar, line: line)
    }
    /// Bytes that are not valid cannot be kept in the encoding.
    package static func invalidBytes(path: String, encoding: String, line: Int) -> Self {
        .invalidBytes(path: FilePath(path), encoding: encoding, line: line)
    }
    /// Writing failed in a step.
    package static func writeFailed(path: String, step: String, code: Int32) -> Self {
        .writeFailed(path: FilePath(path), step: step, code: code)
    }
}

extension FontMemory {
    /// Believes what a file holds, if it is still true.
    package func recall(from path: String) -> Bool { recall(from: FilePath(path)) }
}
