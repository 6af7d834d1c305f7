/// The state of the file behind a window's text.
///
/// The states and the events that each accepts are defined by ``after(_:)``; a test compares it with the diagram on the page *How the editor works*.
/// A reload is not a state: it is one edit of a file that is ready, made when all of the new text has been read.
enum FileState: String, CaseIterable, Hashable, Sendable {
    /// The text has no file.
    case untitled
    /// A file was requested, and nothing of it has arrived. What is typed ahead of it is kept.
    case opening
    /// The first part of the file is in the text, and the rest of it is being read.
    case reading
    /// The whole file was read or saved, or is a new one.
    case ready
    /// The text is being written.
    case saving
    /// The file could not be read and left no text that could be saved.
    case failed

    /// An event in the life of a file.
    enum Event: String, CaseIterable, Hashable, Sendable {
        /// A file is requested.
        case open
        /// The first part of the file has arrived.
        case start
        /// The whole file was read.
        case finish
        /// The file does not exist: the first save creates it.
        case absent
        /// Reading ended early, and the remaining text has no file.
        case abandon
        /// Reading ended early, and the previous file is restored.
        case restore
        /// Reading failed, and no text is left.
        case fail
        /// A save begins.
        case save
        /// The save has succeeded.
        case saved
        /// The save of a text with a file has failed.
        case saveFailed
        /// The save of a text without a file has failed.
        case firstSaveFailed
    }

    /// Returns the state after an event; nil if this state does not accept it.
    func after(_ event: Event) -> FileState? {
        switch (self, event) {
        case (.untitled, .open), (.opening, .open), (.reading, .open), (.ready, .open), (.failed, .open): .opening
        case (.opening, .start): .reading
        case (.opening, .absent), (.opening, .restore), (.reading, .finish), (.reading, .restore): .ready
        case (.opening, .abandon), (.reading, .abandon): .untitled
        case (.opening, .fail), (.reading, .fail): .failed
        case (.untitled, .save), (.ready, .save): .saving
        case (.saving, .saved), (.saving, .saveFailed): .ready
        case (.saving, .firstSaveFailed): .untitled
        default: nil
        }
    }

    /// Whether there is a text that may be edited and saved, now or when it has been read completely.
    var hasText: Bool { self != .failed && self != .opening }
}
