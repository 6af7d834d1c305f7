/// A text view with an input method as a person understands them: characters, a caret, and what is being composed there. It
/// knows nothing of the client; the soak compares the two.
struct InputMethodSoakModel {
    /// What is composed: what each key made of it, for each of the two ways to show it.
    struct Composition: Equatable {
        var plain: [Character] = []
        var converted: [Character] = []
        /// Between which of them the caret is.
        var caret = 0
        /// Which half is being converted: 0 or 1; nil while typing.
        var target: Int?

        var shown: [Character] { target == nil ? plain : converted }
    }

    /// The finished text.
    private(set) var text: [Character]
    /// How many characters are before the caret.
    private(set) var caret: Int
    private(set) var composition: Composition?
    /// Whether a server takes the keys.
    var isServed = true

    init(_ text: String, caret: Int) {
        self.text = Array(text)
        self.caret = caret
    }

    /// All that is to be seen.
    var shown: String { String(text[..<caret] + (composition?.shown ?? []) + text[caret...]) }

    /// The offset of an index into what is shown, in UTF-16 units.
    func utf16(_ index: Int) -> Int { Array(shown)[..<index].reduce(0) { $0 + $1.utf16.count } }

    // MARK: Keys

    mutating func insert(_ characters: [Character]) {
        text.insert(contentsOf: characters, at: caret)
        caret += characters.count
    }

    /// A key that composes, and what it types by itself.
    mutating func compose(_ plain: [Character], converted: [Character], typing keys: String) {
        guard isServed else { return insert(Array(keys)) }
        if composition?.target != nil { keep() }
        var now = composition ?? Composition()
        now.plain.insert(contentsOf: plain, at: now.caret)
        now.converted.insert(contentsOf: converted, at: now.caret)
        now.caret += plain.count
        composition = now
    }

    /// Space, which the server takes for `blank` if nothing is composed.
    mutating func space(_ blank: Character) {
        guard var now = composition else { return insert([isServed ? blank : " "]) }
        now.target = now.target == 0 ? 1 : 0
        now.caret = now.plain.count
        composition = now
    }

    mutating func enter() {
        if composition != nil { keep() } else { insert(["\n"]) }
    }

    mutating func escape() { composition = nil }

    mutating func backspace() {
        guard var now = composition else {
            if caret > 0 {
                caret -= 1
                text.remove(at: caret)
            }
            return
        }
        if now.target != nil {
            now.target = nil
        } else if now.caret > 0 {
            now.caret -= 1
            now.plain.remove(at: now.caret)
            now.converted.remove(at: now.caret)
        }
        composition = now.plain.isEmpty ? nil : now
    }

    mutating func left() {
        guard var now = composition else {
            caret = max(0, caret - 1)
            return
        }
        if now.target != nil { now.target = 0 } else { now.caret = max(0, now.caret - 1) }
        composition = now
    }

    mutating func right() {
        guard var now = composition else {
            caret = min(text.count, caret + 1)
            return
        }
        if now.target != nil { now.target = 1 } else { now.caret = min(now.plain.count, now.caret + 1) }
        composition = now
    }

    // MARK: What ends a composition

    /// The text that is shown stays, once, where it is; the caret goes after it.
    mutating func keep() {
        let shown = composition?.shown ?? []
        composition = nil
        insert(shown)
    }

    /// A click at an index of what is shown.
    mutating func click(at index: Int) {
        keep()
        caret = index
    }

    /// Everything is selected and deleted.
    mutating func empty() {
        composition = nil
        text = []
        caret = 0
    }
}
