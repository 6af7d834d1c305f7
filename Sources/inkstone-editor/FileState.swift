/// The state of the file behind a window's text.
///
/// The states and the events that each takes are the whole of ``after(_:)``; the diagram on the Architecture page is compared with it by a
/// test. A reload is no state: it is one edit of a file that is ready, made when all of the new text has been read.
enum FileState: String, CaseIterable, Hashable, Sendable {
    /// The text has no file.
    case untitled
    /// A file was asked for, and nothing of it has come. What is typed ahead of it is kept.
    case opening
    /// The start of the file is in the text, and the rest of it is being read.
    case reading
    /// The whole file was read or saved, or is a new one.
    case ready
    /// The text is being written.
    case saving
    /// The file could not be read and left no text that could be saved.
    case failed

    /// An event in the life of a file.
    enum Event: String, CaseIterable, Hashable, Sendable {
        /// A file is asked for.
        case open
        /// The start of the file has come.
        case start
        /// The whole file has come.
        case finish
        /// There is no such file: the first save makes it.
        case absent
        /// Reading ended early, and the text that is left has no file.
        case abandon
        /// Reading ended early, and the file that was open before is back.
        case restore
        /// Reading failed, and no text is left.
        case fail
        /// A save begins.
        case save
        /// The save has ended well.
        case saved
        /// The save of a text with a file has failed.
        case saveFailed
        /// The save of a text without a file has failed.
        case firstSaveFailed
    }

    /// The state after an event; nil if this state does not take it.
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

    /// Whether there is a text that may be edited and saved, now or when the rest of it has come.
    var hasText: Bool { self != .failed && self != .opening }
}
