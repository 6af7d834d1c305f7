import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText
import InkstoneUnicode

extension EditorView {
    /// Whether the text is hidden from everyone: no input method, no trace, nothing for the clipboard, PRIMARY or a proxy;
    /// the view shows a bullet for each character.
    public var isSecureTextEntry: Bool { options.isSecureTextEntry }

    /// Whether an input method may be used here now.
    public var acceptsInputMethod: Bool { inputContext.acceptsInputMethod }

    /// What works in this view, and what does not and why: as it is now.
    public var capabilities: TextInputCapabilities { TextInputCapabilities(of: self) }

    func optionsDidChange(from old: TextInputOptions) {
        if options.isEditable != old.isEditable || options.isSecureTextEntry != old.isSecureTextEntry {
            if !inputContext.acceptsInputMethod { endComposition() }
            inputContext.session?.clientTraitsDidChange()
        }
        // Also when the text is shown later on: it is a secret all the same.
        if options.isSecureTextEntry { store.isConfidential = true }
        if options.isSecureTextEntry != old.isSecureTextEntry {
            layout.masksCharacters = options.isSecureTextEntry
            restoreScrollAnchor()
        }
        if options.isSingleLine != old.isSingleLine { updateContainer() }
        if options.baseWritingDirection != old.baseWritingDirection {
            layout.paragraphStyle.baseDirection =
                switch options.baseWritingDirection {
                case .natural: .natural
                case .leftToRight: .leftToRight
                case .rightToLeft: .rightToLeft
                }
            restoreScrollAnchor()
        }
        if options.placeholder != old.placeholder { placeholder = nil }
        setNeedsDisplay()
        host?.editorViewCoordinatesDidChange(self)
    }

    /// What is taken of a text that the user puts in place of `range`, by the options and the delegate; nil if nothing of
    /// it is and the range is to stay. O(length of the text) with a maximum length, else O(length of `text`).
    func accepted(_ text: String, replacing range: Range<UTF16Offset>) -> String? {
        guard options.isEditable else { return nil }
        var taken = text
        if options.limitsText, !text.isEmpty {
            var unlimited = options
            unlimited.maximumLength = nil
            taken = unlimited.accepted(text, length: 0)
            if let limit = options.maximumLength {
                let before = string(in: 0..<range.lowerBound)
                let after = string(in: range.upperBound..<textRange.upperBound)
                // What is put together has at most two characters less at either end than its parts have: so much of a long
                // text need not be looked at.
                taken = String(taken.prefix(max(0, limit - before.count - after.count + 4)))
                // Counted as a whole, since an accent that joins the letter before it needs no room.
                while !taken.isEmpty, (before + taken + after).count > limit { taken.removeLast() }
            }
            if taken.isEmpty { return nil }
        }
        guard delegate?.editorView(self, shouldChangeTextIn: range, replacementText: taken) ?? true else { return nil }
        return taken
    }

    /// Whether the user may replace a range by a text now: by ``isEditable`` and the ``delegate``.
    public func shouldChangeText(in range: TextRange, replacementText text: String) -> Bool {
        isEditable
            && (delegate?.editorView(self, shouldChangeTextIn: offsets(range), replacementText: text) ?? true)
    }

    /// What the Tab key types at the caret; nil if it goes to another view.
    var tabText: String? {
        switch options.tabBehavior {
        case .insertsTab: return "\t"
        case .movesFocus: return nil
        case .insertsSpaces(let columns):
            let columns = max(1, columns)
            let caret = primary.range.lowerBound
            let start = layout.paragraphStart(CaretPlace(caret)).offset
            // Of a very long paragraph the start is not read: a scalar is a column there.
            let near = max(start, caret - Self.readForTab)
            var column = store.text.scalarOffset(at: near) - store.text.scalarOffset(at: start)
            for character in string(in: near..<caret) {
                column = character == "\t" ? (column / columns + 1) * columns : column + 1
            }
            return String(repeating: " ", count: columns - column % columns)
        }
    }

    /// UTF-16 units before the caret that the Tab key reads, to see at which column it is.
    private static let readForTab = 10_000
}
