import Inkstone

/// An effect of a key on the text.
enum Deed: Hashable {
    /// A text in place of what is marked and selected, or at the caret.
    case insert(String)
    /// A text that is shown as marked until another takes its place; an empty one takes it away.
    case mark(String)
    /// Makes marked text plain text.
    case unmark
    case deleteBackward, deleteForward
    /// Inserts a punctuation mark in place of the blank before the caret, or at the caret if there is no blank.
    case replaceBlank(with: String)
    /// The caret goes to the right by characters, or to the left if negative.
    case move(Int)
    /// A key, with modifiers, struck as if by hand.
    case strike(Keysym, Set<Key.Modifier>)
}

/// The layout, the page and Shift, and what keys do in them. Knows no window.
struct KeyboardState {
    enum Shift: Hashable {
        case off
        /// For the beginning of a sentence.
        case automatic
        /// For the next letter.
        case once
        /// Until it is pressed again.
        case locked
    }

    /// The layouts that the layout key goes through.
    let layouts: [KeyLayout]
    private var current = 0
    /// The page of signs or keys that is shown in place of the layout.
    private var page: KeyLayout?
    /// The modifiers that are down for the next key.
    private(set) var modifiers: Set<Key.Modifier> = []
    private(set) var shift = Shift.off
    /// Whether an accent waits for its letter.
    private(set) var hasAccent = false
    /// Whether the user has switched off the capital that is due at the caret.
    private var isCapitalDeclined = false
    /// Whether the blank before the caret was inserted with a suggested word.
    private var hasOwnBlank = false

    /// A state with its first layout; there has to be one.
    init(layouts: [KeyLayout]) { self.layouts = layouts.isEmpty ? [.american] : layouts }

    var layout: KeyLayout { layouts[current] }
    /// The keys that are shown.
    var rows: [[Key]] { (page ?? layout).rows }
    private var showsSigns: Bool { page != nil }

    /// The text that a key types now; nil for one that types none.
    func text(of key: Key) -> String? {
        guard key.action == .text || key.action == .accent else { return nil }
        let isCaseless = showsSigns || !layout.hasCase
        // Only the Shift of one's own is for signs too.
        let isShifted = shift == .once || shift != .off && (isCaseless || key.plain.first?.isLetter ?? false)
        return isShifted ? key.shifted : key.plain
    }

    /// The texts of the layout's keys without Shift, and of its accent.
    var letters: [String] { layout.letters }

    /// The texts that the keys type, the likeliest first: those of the layout, those of the other layouts, so that the layout key
    /// finds them, and accented forms.
    var likelyTexts: [String] {
        let others = layouts.filter { $0 != layout }
        return letters + layout.capitals + others.flatMap { $0.letters + $0.capitals }
            + layout.letters.flatMap(Accents.choices)
    }

    /// The texts that a key offers when it is held, its own first.
    func choices(of key: Key) -> [String] {
        key.action == .text && modifiers.isEmpty ? text(of: key).map(Accents.choices) ?? [] : []
    }

    /// Whether a key shows that it is on.
    func isOn(_ key: Key) -> Bool {
        switch key.action {
        case .shift: shift != .off
        case .modifier(let modifier): modifiers.contains(modifier)
        case .keys: !modifiers.isEmpty
        default: false
        }
    }

    /// Does what a key is for.
    mutating func press(_ key: Key) -> [Deed] {
        if ![.text, .shift, .page].contains(key.action) { hasOwnBlank = false }
        if let keysym = struck(key) { return strike(keysym) }
        switch key.action {
        case .text: return type(text(of: key) ?? "")
        case .accent where hasAccent: return type("´")
        case .accent:
            hasAccent = true
            return [.mark("´")]
        case .deleteBackward where hasAccent:
            hasAccent = false
            return [.mark("")]
        case .deleteBackward: return [.deleteBackward]
        case .deleteForward: return endAccent() + [.deleteForward]
        case .left: return endAccent() + [.move(-1)]
        case .right: return endAccent() + [.move(1)]
        case .shift:
            isCapitalDeclined = shift == .automatic || shift == .locked
            shift = [.off: .once, .automatic: .off, .once: .locked, .locked: .off][shift] ?? .off
        case .page:
            page = page == nil ? .signs : nil
            shift = .off
        case .keys:
            page = .keys
            shift = .off
        case .modifier(let modifier):
            // The next key is the letter of a command: show the letters.
            if modifiers.remove(modifier) == nil { (modifiers, page) = (modifiers.union([modifier]), nil) }
        case .strike: break
        case .layout:
            current = (current + 1) % layouts.count
            shift = .off
            return endAccent()
        case .close: return endAccent()
        }
        return []
    }

    /// The symbol of a key that types nothing, or that a modifier makes a command of; nil for all others.
    private func struck(_ key: Key) -> Keysym? {
        if case .strike(let keysym) = key.action { return keysym }
        guard !modifiers.isEmpty else { return nil }
        switch key.action {
        case .text where key.plain == "\n": return Keysym(rawValue: 0xff0d)
        case .text:
            let text = key.plain.unicodeScalars.first.map(\.isASCII) ?? false ? key.plain : layout.latin(key)
            guard let scalar = text.unicodeScalars.first, text.unicodeScalars.count == 1, scalar.isASCII else {
                return nil
            }
            return Keysym(rawValue: scalar.value)
        case .deleteBackward: return Keysym(rawValue: 0xff08)
        case .deleteForward: return Keysym(rawValue: 0xffff)
        case .left: return Keysym(rawValue: 0xff51)
        case .right: return Keysym(rawValue: 0xff53)
        default: return nil
        }
    }

    private mutating func strike(_ keysym: Keysym) -> [Deed] {
        let isShifted = shift == .once || shift == .locked
        let held = isShifted ? modifiers.union([.shift]) : modifiers
        modifiers = []
        if shift != .locked { shift = .off }
        return endAccent() + [.strike(keysym, held)]
    }

    /// Types a text: that of a key, or one that its key has offered.
    mutating func type(_ text: String) -> [Deed] {
        let whole = hasAccent ? Accents.sharpen(text) : text
        let followsOwnBlank = hasOwnBlank && Self.closingMarks.contains(whole)
        (hasAccent, hasOwnBlank, isCapitalDeclined) = (false, false, false)
        if shift != .locked { shift = .off }
        return [followsOwnBlank ? .replaceBlank(with: whole) : .insert(whole)]
    }

    /// The marks that follow a word without a blank.
    private static let closingMarks: Set<String> = [
        ".", ",", ";", ":", "!", "?", "…", ")", "]", "}", "»", "”", "·", "،", "؛", "؟",
    ]

    /// Notes that the blank before the caret was inserted with a suggested word, so that a punctuation mark may replace it.
    mutating func ownBlank() { hasOwnBlank = true }

    /// Keeps the blank before the caret from being replaced: the caret has moved, or a held key offers texts.
    mutating func keepBlank() { hasOwnBlank = false }

    /// Shows what was marked before a key offered others.
    var withdrawn: Deed { .mark(hasAccent ? "´" : "") }

    /// Forgets an accent that waits, because the text is another one.
    mutating func forgetAccent() { hasAccent = false }

    private mutating func endAccent() -> [Deed] {
        defer { hasAccent = false }
        return hasAccent ? [.unmark] : []
    }

    /// Shifts by itself, or no longer, for what is before the caret.
    ///
    /// - Parameter wantsCapital: whether a capital is due there.
    mutating func expectCapital(_ wantsCapital: Bool) {
        if !wantsCapital { isCapitalDeclined = false }
        switch shift {
        case .off where wantsCapital && !isCapitalDeclined && layout.hasCase && !showsSigns: shift = .automatic
        case .automatic where !wantsCapital: shift = .off
        default: break
        }
    }
}

/// The places where capitals are due.
enum Capitals {
    /// Whether a sentence begins after a text of one paragraph in a language; nil is the document's beginning.
    static func isSentenceStart(after text: String?, in language: String = "en") -> Bool {
        var rest = (text ?? "")[...]
        // What opens a quotation or a bracket belongs to the sentence that follows.
        while let last = rest.last, "\"'„“”«»‚‘’([{¿¡".contains(last) { rest.removeLast() }
        guard let last = rest.last else { return true }
        guard last.isWhitespace else { return false }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        while let last = rest.last, "\"'“”«»‘’)]}".contains(last) { rest.removeLast() }
        // The Greek question mark looks like a semicolon, and is typed as one.
        let ends = language == "el" ? ".!?…‽;\u{37e}" : ".!?…‽。！？؟"
        return rest.last.map { ends.contains($0) } ?? true
    }

    /// Whether a word begins after a text.
    static func isWordStart(after text: String?) -> Bool { text?.last.map { $0.isWhitespace } ?? true }
}
