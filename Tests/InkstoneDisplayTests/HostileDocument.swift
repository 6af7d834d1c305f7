import Glibc
import InkstoneTesting

/// A text that the hostile user types into, with the words that must not be lost.
///
/// Each word is unique and stands on a line of its own, so that whatever becomes of the text tells which words it has.
struct HostileDocument {
    /// A word with the moment (see `Deadline.now`) from which on it is known to have reached the editor, and whether the disk was sound
    /// for the second after it, in which a journal has to have it.
    struct Typed {
        var word: String
        var moment: Double
        var diskWasSound: Bool
    }

    /// The name of the file.
    let name: String
    /// The path of the file.
    let path: String
    /// Words that the editor's text has, in the order in which they were typed.
    var typed: [Typed] = []
    /// Words of ``typed`` that the file had when it was seen last after a save.
    var saved: Set<String> = []
    /// Words that the text had when a save was begun that nobody waited for: the file may have them.
    var perhapsSaved: Set<String> = []
    /// Whether another program has changed the file since.
    private(set) var isChangedOutside = false
    /// Whether something was done since that may have taken words away: an undo, a deletion.
    var isUncertain = false
    /// Words deleted, discarded or given up otherwise. They may come back by an undo.
    var given: Set<String> = []
    /// Whether it has a window.
    var isOpen = false

    init(named name: String, in directory: String) {
        self.name = name
        path = "\(directory)/\(name)"
    }

    /// Words that a crash at a moment must leave in the file or in a journal: handled for more than a second on a sound disk, or saved.
    /// What another program has overwritten is that program's.
    func owed(at moment: Double) -> [String] {
        guard !isUncertain else { return [] }
        return typed.filter { typed in
            if saved.contains(typed.word) { return !isChangedOutside }
            return typed.diskWasSound && typed.moment < moment - 1000
        }.map(\.word)
    }

    /// A save is begun and not waited for.
    mutating func noteSaveBegun() { perhapsSaved.formUnion(typed.map(\.word)) }

    /// Another program has changed the file. Words that it had have no journal any more, and are that program's now.
    mutating func noteChangeOutside() {
        saved.formUnion(perhapsSaved)
        perhapsSaved = []
        isChangedOutside = true
    }

    /// The disk is not sound any more.
    mutating func noteBadDisk(at moment: Double) {
        for index in typed.indices where typed[index].moment > moment - 1000 { typed[index].diskWasSound = false }
    }

    /// The words of a text, in its order, and the lines that neither the user nor a peer has made.
    static func contents(of text: String) -> (words: [String], foreign: [String]) {
        var words: [String] = []
        var foreign: [String] = []
        for line in text.utf8.split(separator: 10, omittingEmptySubsequences: true) {
            // A peer's text is of these letters alone.
            if line.allSatisfy({ $0 == UInt8(ascii: "z") || $0 == UInt8(ascii: " ") || $0 == 13 }) { continue }
            let string = String(Substring(line))
            if isWord(line) { words.append(string) } else { foreign.append(String(string.prefix(80))) }
        }
        return (words, foreign)
    }

    /// Whether this is `w` and five digits.
    private static func isWord(_ line: some Collection<UInt8>) -> Bool {
        line.count == 6 && line.first == UInt8(ascii: "w") && line.dropFirst().allSatisfy { 48...57 ~= $0 }
    }

    /// Takes what the file has for what the text has: what stood there last is saved.
    mutating func rebase(on words: [String]) {
        let present = Set(words)
        given.formUnion(typed.map(\.word).filter { !present.contains($0) })
        let now = Deadline.now
        typed = words.map { Typed(word: $0, moment: now, diskWasSound: true) }
        saved = present
        perhapsSaved = []
        (isChangedOutside, isUncertain) = (false, false)
    }
}
