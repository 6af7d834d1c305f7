import Glibc
import InkstoneBase
import InkstoneWords

/// The reason why printing failed.
public enum PrintError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The library that writes PDF (cairo) is not installed.
    case libraryMissing
    /// The margins leave no room for text on the paper.
    case noRoom
    /// The program or the user has cancelled printing.
    case cancelled
    /// The PDF file could not be written. Nothing of a new file remains. An existing file is unchanged, unless the
    /// pages had to be written into it, as into a file with several names, and this failed halfway. The code is an
    /// `errno`.
    case unwritable(FilePath, code: Int32)
    /// The pages could not be stored or passed to the program `lp`. The code is an `errno`.
    case noSpool(code: Int32)
    /// The document or a page could not be created. The value is the reason.
    case failed(String)
    /// No printing system is installed: the program `lp` does not exist.
    case noPrintingSystem
    /// The program `lp` failed or could not be started. The value is its message, which may be empty, or the reason.
    case refused(String)

    /// The message for the user.
    public var description: String {
        switch self {
        case .libraryMissing:
            localized("Pages need the library cairo, which is not installed (package libcairo2).")
        case .noRoom:
            localized("The margins leave no room for text on the page. Choose smaller margins or larger paper.")
        case .cancelled: localized("Printing was stopped.")
        case .unwritable(let path, let code):
            localized("“\(path.description)” could not be written: \(Self.words(code)). There is no new file.")
        case .noSpool(let code): localized("The pages could not be kept for the printer: \(Self.words(code)).")
        case .failed(let reason): localized("The pages could not be made: \(reason).")
        case .noPrintingSystem:
            localized("No printing system is installed (there is no program “lp”). Print to a PDF file instead.")
        case .refused(""): localized("The printer did not take the pages, and “lp” does not say why.")
        case .refused(let words): localized("The printer did not take the pages: \(words)")
        }
    }

    private static func words(_ code: Int32) -> String { String(cString: strerror(code)) }
}
