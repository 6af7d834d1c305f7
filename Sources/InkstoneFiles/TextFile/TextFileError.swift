import InkstoneBase
import InkstoneUnicode
import InkstoneWords

#if canImport(Glibc)
    import Glibc
#endif

/// An error of reading or writing a file. ``description`` states what happened and what to do about it.
public enum TextFileError: Error, Hashable, Sendable {
    /// A change of a file since it was read.
    public enum Change: Hashable, Sendable {
        /// Another program has written the file.
        case modified
        /// The path now names another file.
        case replaced
        /// The file was removed.
        case removed
        /// The file was created since; it did not exist before.
        case created
    }

    /// The file does not exist.
    case notFound(path: FilePath)
    /// The user may not read the file, or may not search a directory that leads to it.
    case permissionDenied(path: FilePath)
    /// The path names a directory.
    case isDirectory(path: FilePath)
    /// The path names a device, a pipe, a socket, or a stream that does not end.
    case isSpecial(path: FilePath, kind: String)
    /// Opening or reading the file failed, or no thread could be started for reading, with the `errno` in `code`.
    /// `EFBIG` also for a stream that is too long.
    case readFailed(path: FilePath, code: Int32)
    /// ICU has no encoding with that name.
    case unknownEncoding(name: String)
    /// The path does not lead to a file that can be saved. It is a device, a pipe, a socket, or a name in a directory
    /// of the kernel.
    case isNoFileToSave(path: FilePath, kind: String)
    /// The file is write-protected for this user.
    case readOnlyFile(path: FilePath)
    /// The directory is write-protected for this user. No new file can be created in it to replace the old one.
    case readOnlyDirectory(path: FilePath, directory: FilePath)
    /// The directory of the file does not exist, or is no directory.
    case noDirectory(path: FilePath, directory: FilePath)
    /// The file on disk is not the one that was last read or saved.
    case changedOnDisk(path: FilePath, change: Change)
    /// The disk is full. `size` is the size of the encoded text in bytes, 0 if unknown.
    case diskFull(path: FilePath, size: Int)
    /// The encoding has no code for a scalar. The scalar first occurs in `line`, counted from 1.
    case inexpressible(path: FilePath, encoding: String, scalar: UInt32, line: Int)
    /// The encoding cannot keep the invalid bytes in `line`, counted from 1. The text after them would be read
    /// differently.
    case invalidBytes(path: FilePath, encoding: String, line: Int)
    /// The original bytes of `line`, counted from 1, cannot be kept. The line was changed, and encoding its old
    /// text would not give them.
    case bytesWouldChange(path: FilePath, encoding: String, line: Int)
    /// Writing failed in a step, which is named by its system call, or `encoding` for the conversion of the text.
    /// `code` is the `errno`. The file is unchanged.
    case writeFailed(path: FilePath, step: String, code: Int32)
    /// Replacing the file would lose something. `names` is the number of all its names, which are hard links.
    /// `attributes` are the attributes that would be lost; they may include `owner` and `group`. The file is
    /// unchanged.
    case wouldLose(path: FilePath, names: Int, attributes: [String])
    /// The backup for writing in place could not be made in `directory`. `code` is the `errno`. The file is
    /// unchanged.
    case backupFailed(path: FilePath, directory: FilePath, code: Int32)
    /// Writing in place failed in a step, and the old bytes could not be restored. They are in the file `backup`.
    /// `code` is the `errno`.
    case halfWritten(path: FilePath, backup: FilePath, step: String, code: Int32)
    /// Reading was cancelled.
    case cancelled
}

extension TextFileError: CustomStringConvertible {
    /// A localized description of what happened, and what to do, in one or two sentences.
    public var description: String {
        switch self {
        case .notFound(let path):
            localized("There is no file “\(path.label)”. Check the name, or save to create it.")
        case .permissionDenied(let path):
            localized(
                "You do not have permission to read “\(path.label)”. Ask its owner for permission, or open a copy.")
        case .isDirectory(let path): localized("“\(path.label)” is a folder. Choose a file in it.")
        case .isSpecial(let path, let kind):
            localized(
                "“\(path.label)” is a \(Self.words(kind)), not a file of text. Copy what it gives to a file, and open that."
            )
        case .readFailed(let path, let code):
            localized("Reading “\(path.label)” failed: \(Self.text(code)).") + " "
                + Self.advice(for: code, whenWriting: false)
        case .unknownEncoding(let name):
            localized("There is no encoding “\(name)”. Try names such as UTF-8, ISO-8859-1, Shift_JIS, GB18030.")
        case .isNoFileToSave(let path, let kind):
            localized(
                "“\(path.label)” was not saved: that is no file, but a \(Self.words(kind)). Save to another place.")
        case .readOnlyFile(let path):
            localized("“\(path.label)” is write-protected. Save under another name, or make it writable.")
        case .readOnlyDirectory(let path, let directory):
            localized(
                "“\(path.label)” was not saved: you do not have permission to create files in “\(directory.label)”. Save to another folder."
            )
        case .noDirectory(let path, let directory):
            localized(
                "“\(path.label)” was not saved: there is no folder “\(directory.label)”. Create it, and save again.")
        case .changedOnDisk(let path, let change):
            switch change {
            case .modified:
                localized(
                    "“\(path.label)” has changed on disk since you opened it. Reload it, or save over it.")
            case .replaced:
                localized(
                    "“\(path.label)” was replaced by another file since it was opened. Reload it, or save over it.")
            case .removed:
                localized("“\(path.label)” was deleted. Save it again, or save elsewhere.")
            case .created:
                localized("“\(path.label)” has been created by another program. Open it, or save over it.")
            }
        case .diskFull(let path, let size):
            (size > 0
                ? localized(
                    "“\(path.label)” was not saved: the disk is full, and the text needs \(Self.amount(size)). The old file is unchanged."
                ) : localized("“\(path.label)” was not saved: the disk is full. The old file is unchanged."))
                + " " + Self.advice(for: ENOSPC, whenWriting: true)
        case .inexpressible(let path, let encoding, let scalar, let line):
            localized(
                "“\(path.label)” was not saved: \(encoding) cannot represent \(Self.name(scalar)) in line \(line). Remove it, or save as UTF-8."
            )
        case .invalidBytes(let path, let encoding, let line):
            localized(
                "“\(path.label)” was not saved: there are bytes in line \(line) that are no text, and \(encoding) cannot keep them. Remove them, or save in the encoding in which the file was read."
            )
        case .bytesWouldChange(let path, let encoding, let line):
            localized(
                "“\(path.label)” was not saved: line \(line) was changed, and \(encoding) cannot keep all other bytes of it. Undo the change there, or save them as they are shown."
            )
        case .writeFailed(let path, _, EROFS):
            localized("“\(path.label)” was not saved: it is on a read-only file system. Save to another place.")
        case .writeFailed(let path, let step, let code):
            localized("“\(path.label)” was not saved: \(step): \(Self.text(code)). The old file is unchanged.") + " "
                + Self.advice(for: code, whenWriting: true)
        case .wouldLose(let path, let names, let attributes):
            Self.loss(path.label, names - 1, attributes.joined(separator: ", "))
        case .backupFailed(let path, let directory, let code):
            localized(
                "“\(path.label)” was not saved: its old text cannot be kept in “\(directory.description)” meanwhile: \(Self.text(code)). The old file is unchanged. Free some space there, or save to another place."
            )
        case .halfWritten(let path, let backup, let step, let code):
            localized(
                "“\(path.label)” is only partly written: \(step): \(Self.text(code)). The old text is in “\(backup.description)”. Save to another place."
            )
        case .cancelled: localized("Reading was cancelled.")
        }
    }

    /// Returns the error for a step of writing that failed with an `errno`.
    ///
    /// - Parameter size: the size of the encoded text in bytes; 0 if unknown.
    static func failure(writing path: FilePath, step: String, code: Int32, size: Int = 0) -> TextFileError {
        code == ENOSPC ? .diskFull(path: path, size: size) : .writeFailed(path: path, step: step, code: code)
    }

    /// Returns a number of bytes in words, rounded up to the precision that the user needs to make room for them.
    static func amount(_ bytes: Int) -> String {
        let kilobytes = (bytes + 1023) >> 10
        return kilobytes < 10_000 ? localized("\(kilobytes) KB") : localized("\((kilobytes + 1023) >> 10) MB")
    }

    /// Returns a sentence about what the user can do about an `errno`.
    static func advice(for code: Int32, whenWriting isWriting: Bool) -> String {
        switch code {
        case EACCES, EPERM:
            isWriting
                ? localized("Ask its owner for permission, or save to another place.")
                : localized("Ask its owner for permission, or open a copy.")
        case EROFS: localized("Nothing can be written there: open a copy, or have the file system mounted for writing.")
        case ENOSPC: localized("Free some space, or save to another disk.")
        case EDQUOT:
            localized("Your share of that disk is used up: remove files of yours there, or save to another disk.")
        case EFBIG:
            isWriting
                ? localized(
                    "Files may not be as large there: save to another place, or start the editor with a higher limit (ulimit -f)."
                ) : localized("It is larger than this system can open: split it.")
        case ETXTBSY:
            isWriting
                ? localized("It is a program that runs: end that and save again, or save to another place.")
                : localized("It is a program that runs: end that and open it again, or open a copy.")
        case EBUSY:
            isWriting
                ? localized("Something else holds it: end that and save again, or save to another place.")
                : localized("Something else holds it: end that and open it again, or open a copy.")
        case EIO, ENXIO, ENODEV, ESTALE, ETIMEDOUT, ENOTCONN, EHOSTDOWN, EHOSTUNREACH, ENETDOWN, ECONNRESET:
            isWriting
                ? localized("Check the disk or the network, and save to another place meanwhile.")
                : localized("Check the disk or the network, and open it again.")
        case ENAMETOOLONG:
            isWriting
                ? localized("Save under a shorter name.")
                : localized("Open it by a shorter name, from a folder nearer to it.")
        case ELOOP:
            isWriting
                ? localized("Links lead in a circle there: save under another name.")
                : localized("Links lead in a circle there: name the file itself.")
        case EMFILE, ENFILE:
            isWriting
                ? localized("Too many files are open: close some windows or programs, and save again.")
                : localized("Too many files are open: close some windows or programs, and open it again.")
        case ENOMEM, EAGAIN:
            isWriting
                ? localized("The system has no room for it: close some programs, and save again.")
                : localized("The system has no room for it: close some programs, and open it again.")
        case EILSEQ: localized("Save in UTF-8.")
        default:
            isWriting
                ? localized("Save to another place.") : localized("Check the disk or the network, and open it again.")
        }
    }

    /// Returns a sentence about what would be lost if a new file replaced the old one.
    ///
    /// - Parameters:
    ///   - names: the number of other names; may be 0.
    ///   - attributes: the attributes that would be lost; may be empty.
    private static func loss(_ name: String, _ names: Int, _ attributes: String) -> String {
        let sentence =
            if names < 1 {
                localized("“\(name)” was not saved: a new file in its place would not have its \(attributes).")
            } else if attributes.isEmpty {
                localized(
                    names, one: "“\(name)” was not saved: a new file in its place would part it from its 1 other name.",
                    other:
                        "“\(name)” was not saved: a new file in its place would part it from its \(names) other names.")
            } else {
                localized(
                    names,
                    one:
                        "“\(name)” was not saved: a new file in its place would part it from its 1 other name and not have its \(attributes).",
                    other:
                        "“\(name)” was not saved: a new file in its place would part it from its \(names) other names and not have its \(attributes)."
                )
            }
        return sentence + " " + localized("Write it in place, or save under another name.")
    }

    /// Returns the localized words for a kind of file.
    private static func words(_ kind: String) -> String {
        switch kind {
        case "pipe": localized("pipe")
        case "device": localized("device")
        case "socket": localized("socket")
        case "stream": localized("stream")
        case "special file": localized("special file")
        default: kind
        }
    }

    private static func text(_ code: Int32) -> String {
        guard let text = strerror(code) else { return "error \(code)" }
        return String(cString: text)
    }

    private static func name(_ scalar: UInt32) -> String {
        let digits = String(scalar, radix: 16, uppercase: true)
        let number = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        guard let scalar = Unicode.Scalar(scalar) else { return number }
        return "“\(Character(scalar))” (\(number))"
    }
}
