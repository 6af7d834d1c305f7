/// A model of a text view with an input method as users see it: characters, a caret, and a composition at the
/// caret. The model shares no code with the client; the soak test compares the two.
struct InputMethodSoakModel {
    /// A composition: the characters made by each key, in both the plain and the converted form.
    struct Composition: Equatable {
        var plain: [Character] = []
        var converted: [Character] = []
        /// The caret's index within the composition.
        var caret = 0
        /// The half that is being converted, 0 or 1; nil while typing.
        var target: Int?

        var shown: [Character] { target == nil ? plain : converted }
    }

    /// The finished text.
    private(set) var text: [Character]
    /// The number of characters before the caret.
    private(set) var caret: Int
    private(set) var composition: Composition?
    /// Whether an input method handles the keys.
    var isServed = true

    init(_ text: String, caret: Int) {
        self.text = Array(text)
        self.caret = caret
    }

    /// The shown text, including the composition.
    var shown: String { String(text[..<caret] + (composition?.shown ?? []) + text[caret...]) }

    /// Converts an index into the shown text to a UTF-16 offset.
    func utf16(_ index: Int) -> Int { Array(shown)[..<index].reduce(0) { $0 + $1.utf16.count } }

    // MARK: Keys

    mutating func insert(_ characters: [Character]) {
        text.insert(contentsOf: characters, at: caret)
        caret += characters.count
    }

    /// Handles a composing key, and inserts `keys` if there is no server.
    mutating func compose(_ plain: [Character], converted: [Character], typing keys: String) {
        guard isServed else { return insert(Array(keys)) }
        if composition?.target != nil { keep() }
        var now = composition ?? Composition()
        now.plain.insert(contentsOf: plain, at: now.caret)
        now.converted.insert(contentsOf: converted, at: now.caret)
        now.caret += plain.count
        composition = now
    }

    /// Handles Space; without a composition, the server commits `blank`.
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

    /// Ends the composition with its shown text in the document, and puts the caret after it.
    mutating func keep() {
        let shown = composition?.shown ?? []
        composition = nil
        insert(shown)
    }

    /// Clicks at an index of the shown text.
    mutating func click(at index: Int) {
        keep()
        caret = index
    }

    /// Selects and deletes everything.
    mutating func empty() {
        composition = nil
        text = []
        caret = 0
    }
}
