import InkstoneText

/// A block of a document as Markdown has it: without the spelling, and without identities.
///
/// Blocks that are equal mean the same, so a text is written right if what is read of it is equal.
indirect enum MarkdownBlock: Hashable, Sendable {
    case paragraph([MarkdownInline])
    case header(level: Int, [MarkdownInline])
    /// Lines without their ends; one at least.
    case code(language: String?, [String])
    /// Lines of HTML without their ends.
    case html([String])
    case thematicBreak
    /// Rows, and as many alignments as each has cells; the first row is the header.
    case table([PresentationIntent.TableColumn.Alignment], [[[MarkdownInline]]])
    case quote([MarkdownBlock])
    /// `start` is the number of the first item; nil for bullets.
    case list(start: Int?, [MarkdownItem])
}

/// An item of a list.
struct MarkdownItem: Hashable, Sendable {
    /// Whether a task is done; nil for other items.
    var isDone: Bool?
    var blocks: [MarkdownBlock]
}

/// A stretch of text in one style; U+2028 is a line end within the paragraph.
struct MarkdownInline: Hashable, Sendable {
    struct Link: Hashable, Sendable {
        var destination: String
        var title: String
    }

    /// The text of a picture without a description: one attachment character. Several stand for as many pictures.
    static let picture = String(TextAttachment.character)

    var text: String
    /// Emphasis, code, strikethrough, and what is kept as it is.
    var roles: InlinePresentationIntent = []
    var link: Link?
    var image: MarkdownImageAttribute.Value?
    var isUnderlined = false
    /// 1 for superscripts, -1 for subscripts.
    var level = 0

    init(_ text: String, _ roles: InlinePresentationIntent = []) { (self.text, self.roles) = (text, roles) }

    /// Whether both look and mean the same but for their text.
    func isStyled(like other: Self) -> Bool {
        roles == other.roles && link == other.link && image == other.image && isUnderlined == other.isUnderlined
            && level == other.level
    }
}

extension [MarkdownInline] {
    /// Whether nothing is seen of it: a paragraph of spaces and line ends is none in Markdown.
    var isBlank: Bool {
        allSatisfy { inline in
            inline.image == nil && !inline.roles.contains(.code)
                && inline.text.unicodeScalars.allSatisfy { $0 == " " || $0 == "\u{2028}" }
        }
    }

    /// The stretches in the one form that equal text has: without what Markdown cannot say at their place, and equal neighbours as one.
    /// Spaces at the ends of lines are left out: Markdown says them by `&#32;` alone, and nobody who types one means that.
    ///
    /// - Parameter hasLines: whether line ends of the source may stand in the text; not in headings and cells.
    func normalized(hasLines: Bool) -> [MarkdownInline] {
        if isNormal(hasLines: hasLines) { return self }
        var result: [MarkdownInline] = []
        func add(_ part: MarkdownInline) {
            guard !part.text.isEmpty else { return }
            if let last = result.last, last.isStyled(like: part), !part.roles.contains(.softBreak) {
                result[result.count - 1].text += part.text
            } else {
                result.append(part)
            }
        }
        for var part in self {
            part.roles.formIntersection(Self.roles)
            if part.image != nil {
                (part.roles, part.isUnderlined, part.level) = ([], false, 0)
                part.text = String(
                    String.UnicodeScalarView(part.text.unicodeScalars.map { $0 == "\u{2028}" ? " " : $0 }))
            }
            if part.roles.contains(.inlineHTML) { part.roles.remove(.code) }
            let isSoft = part.roles.contains(.softBreak) && part.roles.isDisjoint(with: [.code, .inlineHTML])
            part.roles.remove(.softBreak)
            // What is typed behind such a space is as it is.
            guard isSoft, hasLines, part.text.utf8.first == 0x20 else {
                add(part)
                continue
            }
            var space = part
            space.text = " "
            space.roles.insert(.softBreak)
            add(space)
            // Not its character, which marks behind it belong to.
            part.text.unicodeScalars.removeFirst()
            add(part)
        }
        var hasOtherEnds = true
        // Each time at least every second line end of a row of them goes.
        while hasOtherEnds {
            result.removeSpacesAtLineEnds()
            hasOtherEnds = false
            // A line end needs a line on both sides.
            for i in result.indices where result[i].roles.contains(.softBreak) {
                let endsLine =
                    i == 0 || result[i - 1].text.unicodeScalars.last == "\u{2028}"
                    || result[i - 1].roles.contains(.softBreak)
                let startsLine = i == result.count - 1 || result[i + 1].text.unicodeScalars.first == "\u{2028}"
                guard endsLine || startsLine else { continue }
                result[i].roles.remove(.softBreak)
                hasOtherEnds = true
            }
        }
        var merged: [MarkdownInline] = []
        for part in result {
            if let last = merged.last, last.isStyled(like: part), !part.roles.contains(.softBreak) {
                merged[merged.count - 1].text += part.text
            } else {
                merged.append(part)
            }
        }
        return merged
    }

    /// The roles that Markdown has within a paragraph.
    private static let roles: InlinePresentationIntent = [
        .emphasized, .stronglyEmphasized, .code, .strikethrough, .softBreak, .inlineHTML,
    ]

    /// Whether it is plain to see that nothing is to be done, as in most texts.
    private func isNormal(hasLines: Bool) -> Bool {
        for i in indices {
            let text = self[i].text.utf8
            // The first byte of U+2028 is that of much else; then all is looked at.
            guard self[i].image == nil, self[i].roles.isSubset(of: Self.roles), !text.isEmpty, !text.contains(0xe2)
            else {
                return false
            }
            if self[i].roles.contains(.softBreak) {
                guard hasLines, text.elementsEqual(CollectionOfOne(0x20)), i > 0, i < count - 1,
                    self[i].roles.isDisjoint(with: [.code, .inlineHTML]), self[i - 1].text.utf8.last != 0x20,
                    !self[i - 1].roles.contains(.softBreak)
                else { return false }
            } else if i == count - 1 {
                if text.last == 0x20 { return false }
            }
            if self[i].roles.contains(.inlineHTML), self[i].roles.contains(.code) { return false }
            if i > 0, !self[i].roles.contains(.softBreak), self[i].isStyled(like: self[i - 1]) { return false }
        }
        return true
    }

    /// Removes the spaces before line ends and at the end, but for those of code, pictures and HTML, and the stretches that have no text then.
    private mutating func removeSpacesAtLineEnds() {
        var isAtEnd = true
        for i in indices.reversed() {
            if self[i].roles.contains(.softBreak) {
                isAtEnd = true
            } else if self[i].image != nil || !self[i].roles.isDisjoint(with: [.code, .inlineHTML]) {
                isAtEnd = false
            } else if !self[i].text.isEmpty, self[i].text.utf8.last != 0x20, !self[i].text.utf8.contains(0xe2) {
                isAtEnd = false
            } else if isAtEnd || self[i].text.unicodeScalars.contains("\u{2028}") {
                var kept: [Unicode.Scalar] = []
                for scalar in self[i].text.unicodeScalars.reversed() {
                    if scalar == " ", isAtEnd { continue }
                    isAtEnd = scalar == "\u{2028}"
                    kept.append(scalar)
                }
                if kept.isEmpty, isWholeLink(i) {
                    isAtEnd = false
                    continue
                }
                self[i].text = String(String.UnicodeScalarView(kept.reversed()))
            } else {
                isAtEnd = false
            }
        }
        removeAll { $0.text.isEmpty }
    }

    /// Whether a stretch is all that a link has for its text, without which the link would go.
    private func isWholeLink(_ index: Int) -> Bool {
        guard let link = self[index].link else { return false }
        return (index == 0 || self[index - 1].link != link) && (index == count - 1 || self[index + 1].link != link)
    }
}
