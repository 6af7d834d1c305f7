import Inkstone

/// An effect that a press on the keyboard has: an edit of the text, or a key event.
enum Deed: Hashable {
    /// Inserts a text in place of the marked or selected text, or at the caret.
    case insert(String)
    /// Shows a text as marked text, in place of the marked or selected text, or at the caret. An empty text removes
    /// the marked or selected text.
    case mark(String)
    /// Turns the marked text into ordinary text.
    case unmark
    case deleteBackward, deleteForward
    /// Inserts a punctuation mark in place of the blank before the caret, or at the caret if there is no blank.
    case replaceBlank(with: String)
    /// Moves the caret to the right by a number of characters, or to the left if negative.
    case move(Int)
    /// Sends the key event of a keysym with modifiers.
    case strike(Keysym, Set<Key.Modifier>)
}

/// The layout, page, Shift and modifiers of the keyboard, and the actions of its keys in this state. This value
/// does not access a window.
struct KeyboardState {
    enum Shift: Hashable {
        case off
        /// Shift was turned on automatically, because a capital letter is expected.
        case automatic
        /// Shift is on until the next key that inserts text or sends a key event, or until the user changes the
        /// page or layout. Pressing Shift again locks it.
        case once
        /// Shift is on until it is pressed again, or until the user changes the page or layout.
        case locked
    }

    /// The layouts that the layout key steps through.
    let layouts: [KeyLayout]
    /// The index in ``layouts`` of the present layout.
    private var current = 0
    /// The page of symbols or of other keys that is shown instead of the layout; nil for the layout.
    private var page: KeyLayout?
    /// The modifiers for the next key.
    private(set) var modifiers: Set<Key.Modifier> = []
    private(set) var shift = Shift.off
    /// Whether an accent was typed and its letter has not followed yet.
    private(set) var hasAccent = false
    /// Whether the user has turned Shift off while it was automatic or locked. It is then not turned on automatically
    /// at this position of the caret.
    private var isCapitalDeclined = false
    /// Whether the blank before the caret was inserted together with a suggested word. A punctuation mark may
    /// replace it then.
    private var hasOwnBlank = false

    /// Creates a state that shows the first of the layouts. If there is none, the American layout is used.
    init(layouts: [KeyLayout]) { self.layouts = layouts.isEmpty ? [.american] : layouts }

    var layout: KeyLayout { layouts[current] }
    /// The rows of keys that are shown, from top to bottom.
    var rows: [[Key]] { (page ?? layout).rows }
    private var showsSigns: Bool { page != nil }

    /// Returns the text that a key types with the present page and Shift; nil for a key that types no text. Other
    /// modifiers, such as Control, are ignored.
    func text(of key: Key) -> String? {
        guard key.action == .text || key.action == .accent else { return nil }
        let isCaseless = showsSigns || !layout.hasCase
        // Shift `once` applies to all keys, including those for symbols. Shift `automatic` or `locked` applies only
        // to letters. On a page or in a layout without capital letters, it applies to all keys.
        let isShifted = shift == .once || shift != .off && (isCaseless || key.plain.first?.isLetter ?? false)
        return isShifted ? key.shifted : key.plain
    }

    /// The texts that the layout types without Shift. If it has an accent key, the accented letters are included.
    var letters: [String] { layout.letters }

    /// Texts that the keyboard can type, the likeliest first: those of the layout, then those of the other layouts,
    /// then the accented forms of the texts that the layout types without Shift. The page of symbols is left out.
    var likelyTexts: [String] {
        let others = layouts.filter { $0 != layout }
        return letters + layout.capitals + others.flatMap { $0.letters + $0.capitals }
            + layout.letters.flatMap(Accents.choices)
    }

    /// Returns the texts that a key offers when it is held; the first is the key's own text. Empty if the key
    /// offers none, and while a modifier such as Control is on.
    func choices(of key: Key) -> [String] {
        key.action == .text && modifiers.isEmpty ? text(of: key).map(Accents.choices) ?? [] : []
    }

    /// Whether a key is shown as switched on, such as Shift while it is on.
    func isOn(_ key: Key) -> Bool {
        switch key.action {
        case .shift: shift != .off
        case .modifier(let modifier): modifiers.contains(modifier)
        case .keys: !modifiers.isEmpty
        default: false
        }
    }

    /// Performs the press of a key. Returns the resulting edits.
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
            // Show the letters if the modifier is on now: the next key is the letter of a command.
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

    /// Returns the keysym to send for a key. A key made to send a keysym (`strike`) has one. While a modifier such
    /// as Control is on, a character, deletion or arrow key has one too. Nil for other keys, and for a character if
    /// neither it nor the American layout's key at its position is ASCII.
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

    /// Types the text of a key, or a text that a held key has offered. Returns the resulting edits. A pending
    /// accent is combined with the text, and Shift is turned off unless it is locked.
    mutating func type(_ text: String) -> [Deed] {
        let whole = hasAccent ? Accents.sharpen(text) : text
        let followsOwnBlank = hasOwnBlank && Self.closingMarks.contains(whole)
        (hasAccent, hasOwnBlank, isCapitalDeclined) = (false, false, false)
        if shift != .locked { shift = .off }
        return [followsOwnBlank ? .replaceBlank(with: whole) : .insert(whole)]
    }

    /// The punctuation marks that follow a word without a blank.
    private static let closingMarks: Set<String> = [
        ".", ",", ";", ":", "!", "?", "…", ")", "]", "}", "»", "”", "·", "،", "؛", "؟",
    ]

    /// Records that the blank before the caret was inserted together with a suggested word. A punctuation mark may
    /// replace it.
    mutating func ownBlank() { hasOwnBlank = true }

    /// Records that a punctuation mark must not replace the blank before the caret. Call when the caret has moved,
    /// or when a held key offers texts.
    mutating func keepBlank() { hasOwnBlank = false }

    /// The edit that takes back a text offered by a held key: the marked text is again what it was before.
    var withdrawn: Deed { .mark(hasAccent ? "´" : "") }

    /// Drops an accent that waits for its letter. Call when the focus is in another text.
    mutating func forgetAccent() { hasAccent = false }

    private mutating func endAccent() -> [Deed] {
        defer { hasAccent = false }
        return hasAccent ? [.unmark] : []
    }

    /// Turns on the automatic Shift where a capital letter is expected, unless Shift is on already, the user has
    /// declined it here, or the keys have no capital letters. Turns it off elsewhere.
    ///
    /// - Parameter wantsCapital: whether a capital letter is expected at the caret.
    mutating func expectCapital(_ wantsCapital: Bool) {
        if !wantsCapital { isCapitalDeclined = false }
        switch shift {
        case .off where wantsCapital && !isCapitalDeclined && layout.hasCase && !showsSigns: shift = .automatic
        case .automatic where !wantsCapital: shift = .off
        default: break
        }
    }
}

/// Rules for the positions at which a capital letter is expected.
enum Capitals {
    /// Whether a sentence begins after a text. The text is the part of a paragraph before the caret; nil at the
    /// document's beginning.
    static func isSentenceStart(after text: String?, in language: String = "en") -> Bool {
        var rest = (text ?? "")[...]
        // Skip opening quotation marks and brackets, which belong to the sentence that follows.
        while let last = rest.last, "\"'„“”«»‚‘’([{¿¡".contains(last) { rest.removeLast() }
        guard let last = rest.last else { return true }
        guard last.isWhitespace else { return false }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        while let last = rest.last, "\"'“”«»‘’)]}".contains(last) { rest.removeLast() }
        // In Greek, a semicolon is usually typed as the question mark, which looks the same.
        let ends = language == "el" ? ".!?…‽;\u{37e}" : ".!?…‽。！？؟"
        return rest.last.map { ends.contains($0) } ?? true
    }

    /// Whether a word begins after a text. The text is the part of a paragraph before the caret; nil at the
    /// document's beginning.
    static func isWordStart(after text: String?) -> Bool { text?.last.map { $0.isWhitespace } ?? true }
}
