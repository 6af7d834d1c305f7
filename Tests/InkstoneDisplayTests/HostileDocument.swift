import Glibc
import InkstoneTesting

/// A document that the hostile user types into, with the words that must not be lost.
///
/// Each word is unique and on a line of its own, so that any later state of the text shows which words survived.
struct HostileDocument {
    /// A word, the time (see `Deadline.now`) at which the editor is known to have received it, and whether the disk
    /// worked during the next second, within which the journal must contain the word.
    struct Typed {
        var word: String
        var moment: Double
        var diskWasSound: Bool
    }

    /// The name of the file.
    let name: String
    /// The path of the file.
    let path: String
    /// The words in the editor's text, in the order of typing.
    var typed: [Typed] = []
    /// The words of ``typed`` that the file contained when it was last read after a save.
    var saved: Set<String> = []
    /// The words in the text when a save was started without waiting for its end: the file may contain them.
    var perhapsSaved: Set<String> = []
    /// Whether another program has changed the file since the last save.
    private(set) var isChangedOutside = false
    /// Whether a question of a save may be open that was started without waiting for its end.
    private(set) var mayBeAsked = false
    /// Whether an undo or a deletion may have removed words since the last save.
    var isUncertain = false
    /// Words that were deleted, discarded or otherwise abandoned. An undo may restore them.
    var given: Set<String> = []
    /// The lines that are the start of a word of which a crash has cut off the rest.
    private var fragments: Set<String> = []
    /// Whether the document has a window.
    var isOpen = false

    init(named name: String, in directory: String) {
        self.name = name
        path = "\(directory)/\(name)"
    }

    /// Returns the words that must be in the file or a journal after a crash at a moment: those that were saved, or
    /// received more than a second before on a working disk. Words that another program has overwritten are not
    /// among them.
    func owed(at moment: Double) -> [String] {
        guard !isUncertain else { return [] }
        return typed.filter { typed in
            if saved.contains(typed.word) { return !isChangedOutside }
            return typed.diskWasSound && typed.moment < moment - 1000
        }.map(\.word)
    }

    /// Records that a save was started without waiting for its end.
    mutating func noteSaveBegun() {
        perhapsSaved.formUnion(typed.map(\.word))
        mayBeAsked = true
    }

    /// Records that another program has changed the file. The file's earlier words are in no journal any more, so
    /// they are no longer owed.
    mutating func noteChangeOutside() {
        saved.formUnion(perhapsSaved)
        perhapsSaved = []
        isChangedOutside = true
    }

    /// Records that the disk has stopped working.
    mutating func noteBadDisk(at moment: Double) {
        for index in typed.indices where typed[index].moment > moment - 1000 { typed[index].diskWasSound = false }
    }

    /// Parses a text into words, in order, and lines that neither the user nor a peer has written.
    static func contents(of text: String) -> (words: [String], foreign: [String]) {
        var words: [String] = []
        var foreign: [String] = []
        for line in text.utf8.split(separator: 10, omittingEmptySubsequences: true) {
            // Text from a peer consists only of these letters.
            if line.allSatisfy({ $0 == UInt8(ascii: "z") || $0 == UInt8(ascii: " ") || $0 == 13 }) { continue }
            let string = String(Substring(line))
            if isWord(line) { words.append(string) } else { foreign.append(String(string.prefix(80))) }
        }
        return (words, foreign)
    }

    /// Whether the line is `w` and five digits.
    private static func isWord(_ line: some Collection<UInt8>) -> Bool {
        line.count == 6 && line.first == UInt8(ascii: "w") && line.dropFirst().allSatisfy { 48...57 ~= $0 }
    }

    /// Records that a file after a crash has these lines besides words and text of peers. The start of a typed word may
    /// be all that the journal has of it.
    mutating func noteFragments(_ lines: [String]) {
        fragments.formUnion(lines.filter { line in typed.contains { $0.word.hasPrefix(line) } })
    }

    /// Whether neither the user nor a peer has written a line.
    func isForeign(_ line: String) -> Bool { !fragments.contains(line) }

    /// Sets the words of the text and the file to those found in the file.
    mutating func rebase(on words: [String]) {
        let present = Set(words)
        given.formUnion(typed.map(\.word).filter { !present.contains($0) })
        let now = Deadline.now
        typed = words.map { Typed(word: $0, moment: now, diskWasSound: true) }
        saved = present
        perhapsSaved = []
        (isChangedOutside, isUncertain, mayBeAsked) = (false, false, false)
    }
}
