/// The state of a document's file.
///
/// The states and the events that each accepts are defined by ``after(_:)``; a test compares this function with the
/// diagram on the page *How the editor works*. A reload is not a state: it edits a document in the state ``ready``
/// (``untitled`` for text from standard input), once the whole new text has been read.
enum FileState: String, CaseIterable, Hashable, Sendable {
    /// The document has no file.
    case untitled
    /// A file was requested, and no part of it has arrived. Text may be typed already.
    case opening
    /// The first part of the file is in the document, and the rest is being read.
    case reading
    /// The whole file was read or saved, or the file is new.
    case ready
    /// The document is being saved.
    case saving
    /// The file could not be read, and there is no other text that could be saved.
    case failed

    /// An event that may change the state.
    enum Event: String, CaseIterable, Hashable, Sendable {
        /// A file is requested.
        case open
        /// The first part of the file has arrived.
        case start
        /// The whole file was read.
        case finish
        /// The file does not exist: the first save creates it.
        case absent
        /// Reading ended early, or all of standard input was read. The document has no file then.
        case abandon
        /// Reading ended early, and the previous document is restored with its file.
        case restore
        /// Reading failed, and there is no text to edit.
        case fail
        /// A save begins.
        case save
        /// The save has succeeded.
        case saved
        /// The save of a document that has a file has failed.
        case saveFailed
        /// The save of a document without a file has failed.
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

    /// Whether there is a text to edit and save. False if reading has failed, or before the first part of the file
    /// has arrived.
    var hasText: Bool { self != .failed && self != .opening }
}
