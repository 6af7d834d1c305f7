import InkstoneBase
import InkstoneText

/// A block of a Markdown document, independent of how it is written in the source, and without identities.
///
/// Equal blocks have the same meaning: a text was written correctly if reading the source gives equal blocks.
indirect enum MarkdownBlock: Hashable, Sendable {
    case paragraph([MarkdownInline])
    case header(level: Int, [MarkdownInline])
    /// A code block. The lines are without their ends; there is at least one.
    case code(language: String?, [String])
    /// A block of HTML. The lines are without their ends.
    case html([String])
    case thematicBreak
    /// A table: the alignments of the columns, and the rows, each with one cell for each column. The first row is
    /// the header.
    case table([PresentationIntent.TableColumn.Alignment], [[[MarkdownInline]]])
    case quote([MarkdownBlock])
    /// A list. `start` is the number of the first item; nil for bullets.
    case list(start: Int?, [MarkdownItem])

    /// Whether the block is a list whose items have no blocks.
    var hasOnlyEmptyItems: Bool {
        if case .list(_, let items) = self { items.allSatisfy(\.blocks.isEmpty) } else { false }
    }

    /// Whether two blocks are the same in content and styles. Texts are compared by their scalars, because a text
    /// that is only canonically equivalent has to be written too.
    static func == (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.paragraph(let a), .paragraph(let b)): a == b
        case (.header(let level, let a), .header(let other, let b)): level == other && a == b
        case (.code(let language, let a), .code(let other, let b)):
            language.hasSameScalars(as: other) && a.elementsEqual(b) { $0.hasSameScalars(as: $1) }
        case (.html(let a), .html(let b)): a.elementsEqual(b) { $0.hasSameScalars(as: $1) }
        case (.thematicBreak, .thematicBreak): true
        case (.table(let alignments, let a), .table(let others, let b)): alignments == others && a == b
        case (.quote(let a), .quote(let b)): a == b
        case (.list(let start, let a), .list(let other, let b)): start == other && a == b
        default: false
        }
    }
}

/// An item of a list, with the blocks in it.
struct MarkdownItem: Hashable, Sendable {
    /// Whether the item's task is done; nil for an item that is not a task.
    var isDone: Bool?
    var blocks: [MarkdownBlock]
}

/// A run of text in one style. U+2028 is a line break within the paragraph.
struct MarkdownInline: Hashable, Sendable {
    /// The destination and the title of a link. The title is empty if there is none.
    struct Link: Hashable, Sendable {
        var destination: String
        var title: String

        static func == (a: Self, b: Self) -> Bool {
            a.destination.hasSameScalars(as: b.destination) && a.title.hasSameScalars(as: b.title)
        }
    }

    /// The text of a picture without a description: one attachment character. Several of these characters are as
    /// many pictures.
    static let picture = String(TextAttachment.character)

    var text: String
    /// The roles of the text, such as emphasis, code, strikethrough or HTML.
    var roles: InlinePresentationIntent = []
    /// The styles that few runs have; nil if the run has none of them. They are stored apart to make runs small,
    /// because documents consist of very many runs.
    private var rare: RareStyles?

    var link: Link? {
        get { rare?.values.link }
        set { if rare != nil || newValue != nil { changeRare { $0.link = newValue } } }
    }
    var image: MarkdownImageAttribute.Value? {
        get { rare?.values.image }
        set { if rare != nil || newValue != nil { changeRare { $0.image = newValue } } }
    }
    var isUnderlined: Bool {
        get { rare?.values.isUnderlined ?? false }
        set { if rare != nil || newValue { changeRare { $0.isUnderlined = newValue } } }
    }
    /// The level of the run: 1 for superscript, -1 for subscript, 0 for other text.
    var level: Int {
        get { rare?.values.level ?? 0 }
        set { if rare != nil || newValue != 0 { changeRare { $0.level = newValue } } }
    }
    /// Whether the run has no styles except roles.
    var hasRolesOnly: Bool { rare == nil }

    private mutating func changeRare(_ change: (inout RareStyles.Values) -> Void) {
        var values = rare?.values ?? RareStyles.Values()
        change(&values)
        rare = values == RareStyles.Values() ? nil : RareStyles(values)
    }

    init(_ text: String, _ roles: InlinePresentationIntent = []) { (self.text, self.roles) = (text, roles) }

    static func == (a: Self, b: Self) -> Bool { a.isStyled(like: b) && a.text.hasSameScalars(as: b.text) }

    /// Whether another run has the same styles, link and picture.
    func isStyled(like other: Self) -> Bool { roles == other.roles && rare == other.rare }
}

/// The link, picture, underline and level of a run of text.
private final class RareStyles: Hashable, Sendable {
    struct Values: Hashable, Sendable {
        var link: MarkdownInline.Link?
        var image: MarkdownImageAttribute.Value?
        var isUnderlined = false
        /// 1 for superscript, -1 for subscript, 0 for neither.
        var level = 0
    }

    let values: Values

    init(_ values: Values) { self.values = values }

    static func == (a: RareStyles, b: RareStyles) -> Bool { a === b || a.values == b.values }

    func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

extension [MarkdownInline] {
    /// Whether the runs have only spaces and line separators, and no code or pictures. Such text is no paragraph in
    /// Markdown.
    var isBlank: Bool {
        allSatisfy { inline in
            inline.image == nil && !inline.roles.contains(.code)
                && inline.text.unicodeScalars.allSatisfy { $0 == " " || $0 == "\u{2028}" }
        }
    }

    /// Returns the runs in a canonical form, which is the same for equal texts. Styles that Markdown does not have
    /// at their position are removed, and equal neighbours are joined. Spaces at both ends of lines are
    /// removed, because Markdown could only express them as `&#32;`.
    ///
    /// - Parameter hasLines: whether the text may have the source's line ends (soft breaks); false for headings and
    ///   cells.
    func normalized(hasLines: Bool) -> [MarkdownInline] {
        if isNormal(hasLines: hasLines) { return self }
        var result: [MarkdownInline] = []
        func add(_ part: MarkdownInline) {
            guard !part.text.isEmpty else { return }
            // Test by index: a copy of the last part would share its text, which each addition would then copy.
            if let last = result.indices.last, result[last].isStyled(like: part), !part.roles.contains(.softBreak) {
                result[last].text += part.text
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
            if part.roles.contains(.inlineHTML) {
                part.roles.remove(.code)
                // Headings and cells are single lines: replace the line breaks in their HTML by spaces.
                if !hasLines {
                    part.text = String(
                        String.UnicodeScalarView(part.text.unicodeScalars.map { $0 == "\u{2028}" ? " " : $0 }))
                }
            }
            let isSoft = part.roles.contains(.softBreak) && part.roles.isDisjoint(with: [.code, .inlineHTML])
            part.roles.remove(.softBreak)
            // Text that was typed after a soft break belongs to the same run as its space: separate them.
            guard isSoft, hasLines, part.text.utf8.first == 0x20 else {
                add(part)
                continue
            }
            var space = part
            space.text = " "
            space.roles.insert(.softBreak)
            add(space)
            // Remove the scalar, not the `Character`, which combining marks after it belong to.
            part.text.unicodeScalars.removeFirst()
            add(part)
        }
        for role in Self.marks { result.removeRoleOfBlanks(role) }
        var hasOtherEnds = true
        // Repeat: each iteration removes at least every second one of several successive line ends.
        while hasOtherEnds {
            result.removeSpacesAtLineEnds()
            result.removeSpacesAtLineStarts()
            hasOtherEnds = false
            // Make a soft break that is not between two lines with text an ordinary space.
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
        result.numberPictures()
        var merged: [MarkdownInline] = []
        for part in result {
            if let last = merged.indices.last, merged[last].isStyled(like: part), !part.roles.contains(.softBreak) {
                merged[last].text += part.text
            } else {
                merged.append(part)
            }
        }
        return merged
    }

    /// Sets the ordinals of pictures: 0, 1, 2 … for adjacent equal pictures, 0 for all others. With different
    /// ordinals, adjacent descriptions do not become one run; counting from 0 makes equal texts have equal runs.
    /// Adjacent pictures without descriptions get the same ordinal, because each is a character of its own.
    private mutating func numberPictures() {
        func isBare(_ part: MarkdownInline) -> Bool {
            part.text.unicodeScalars.allSatisfy { $0 == TextAttachment.character }
        }
        var before: MarkdownInline?
        for i in indices {
            let given = self[i]
            guard let ordinal = given.image?.ordinal else {
                before = nil
                continue
            }
            self[i].image?.ordinal = 0
            if let before, let last = before.image, i > 0, let number = self[i - 1].image?.ordinal {
                var other = before
                other.image?.ordinal = ordinal
                if other.isStyled(like: given) {
                    let isSame = last.ordinal == ordinal || isBare(before) && isBare(given)
                    self[i].image?.ordinal = isSame ? number : number + 1
                }
            }
            before = given
        }
    }

    /// The roles that Markdown has within a paragraph.
    private static let roles: InlinePresentationIntent = [
        .emphasized, .stronglyEmphasized, .code, .strikethrough, .softBreak, .inlineHTML,
    ]

    /// The roles that Markdown can only express for text that neither begins nor ends with a space.
    private static let marked: InlinePresentationIntent = [.emphasized, .stronglyEmphasized, .strikethrough]

    /// The roles that Markdown expresses by marks around a piece of text.
    private static let marks: [InlinePresentationIntent] = [.emphasized, .stronglyEmphasized, .strikethrough]

    /// Removes a role from the spaces and line breaks at both ends of each piece of text that has it. A mark must
    /// not have a space on its inner side, and the role of a space is not visible.
    private mutating func removeRoleOfBlanks(_ role: InlinePresentationIntent) {
        func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\u{2028}" }
        func isText(_ part: MarkdownInline) -> Bool {
            part.image == nil && part.roles.isDisjoint(with: [.code, .inlineHTML])
        }
        guard contains(where: { $0.roles.contains(role) }) else { return }
        var result: [MarkdownInline] = []
        var at = startIndex
        while at < endIndex {
            guard self[at].roles.contains(role) else {
                result.append(self[at])
                at += 1
                continue
            }
            let end = self[at...].firstIndex { !$0.roles.contains(role) } ?? endIndex
            // Count the blank parts of the range by indices, because there may be very many: removing each from an
            // array would take quadratic time.
            var (before, inner, behind) = ([MarkdownInline](), Array(self[at..<end]), [MarkdownInline]())
            var (first, last) = (0, inner.count - 1)
            while first <= last, isText(inner[first]) {
                let blanks = String(String.UnicodeScalarView(inner[first].text.unicodeScalars.prefix(while: isBlank)))
                guard !blanks.isEmpty else { break }
                var blank = inner[first]
                blank.text = blanks
                blank.roles.subtract(role)
                before.append(blank)
                inner[first].text.unicodeScalars.removeFirst(blanks.unicodeScalars.count)
                guard inner[first].text.isEmpty else { break }
                first += 1
            }
            while first <= last, isText(inner[last]) {
                let count = inner[last].text.unicodeScalars.reversed().prefix(while: isBlank).count
                guard count > 0 else { break }
                var blank = inner[last]
                blank.text = String(String.UnicodeScalarView(inner[last].text.unicodeScalars.suffix(count)))
                blank.roles.subtract(role)
                behind.append(blank)
                inner[last].text.unicodeScalars.removeLast(count)
                guard inner[last].text.isEmpty else { break }
                last -= 1
            }
            result += before
            if first <= last { result += inner[first...last] }
            result += behind.reversed()
            at = end
        }
        self = result
    }

    /// Whether a quick check shows that the runs are in the canonical form; true for most texts. False means that they
    /// may be in it or not.
    func isNormal(hasLines: Bool) -> Bool {
        let (roles, marked) = (Self.roles, Self.marked)
        return withUnsafeBufferPointer { runs in
            // Whether the previous run is a soft break, and whether it ends with a space.
            var (isBehindBreak, isBehindSpace) = (true, true)
            for i in runs.indices {
                let own = runs[i].roles
                guard runs[i].image == nil, own.isSubset(of: roles), let ends = runs[i].text.plainEnds else {
                    return false
                }
                if own.contains(.softBreak) {
                    guard hasLines, runs[i].text.utf8.count == 1, ends.first == 0x20, i > 0, i < runs.count - 1,
                        own.isDisjoint(with: [.code, .inlineHTML]), !isBehindSpace, !isBehindBreak
                    else { return false }
                    isBehindBreak = true
                } else {
                    if i == runs.count - 1, ends.last == 0x20 { return false }
                    if isBehindBreak, ends.first == 0x20 { return false }
                    isBehindBreak = false
                }
                isBehindSpace = ends.last == 0x20
                if own.contains(.inlineHTML), own.contains(.code) { return false }
                if !own.isDisjoint(with: marked), ends.first == 0x20 || ends.last == 0x20 { return false }
                if i > 0, !own.contains(.softBreak), runs[i].isStyled(like: runs[i - 1]) { return false }
            }
            return true
        }
    }

    /// Removes the spaces before line breaks and at the end, and runs that become empty. Code, pictures, HTML, and a
    /// run that is the whole text of a link keep their spaces.
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

    /// Removes the spaces at the starts of lines, with the same exceptions as ``removeSpacesAtLineEnds()``.
    private mutating func removeSpacesAtLineStarts() {
        var isAtStart = true
        for i in indices {
            let part = self[i]
            if part.roles.contains(.softBreak) {
                isAtStart = true
            } else if part.image != nil || !part.roles.isDisjoint(with: [.code, .inlineHTML]) {
                isAtStart = false
            } else if isAtStart && part.text.utf8.first == 0x20 || part.text.unicodeScalars.contains("\u{2028}") {
                var kept = String.UnicodeScalarView()
                for scalar in part.text.unicodeScalars {
                    if scalar == " ", isAtStart { continue }
                    isAtStart = scalar == "\u{2028}"
                    kept.append(scalar)
                }
                if kept.isEmpty, isWholeLink(i) {
                    isAtStart = false
                    continue
                }
                self[i].text = String(kept)
            } else {
                isAtStart = isAtStart && part.text.isEmpty
            }
        }
        removeAll { $0.text.isEmpty }
    }

    /// Whether a run is the only text of a link, which would be lost without it.
    private func isWholeLink(_ index: Int) -> Bool {
        guard let link = self[index].link else { return false }
        return (index == 0 || self[index - 1].link != link) && (index == count - 1 || self[index + 1].link != link)
    }
}

extension String {
    /// The first and the last byte of the text. Nil if the text is empty, or if it may have a line separator
    /// (U+2028): it has that scalar's first byte, which other characters have too.
    fileprivate var plainEnds: (first: UInt8, last: UInt8)? {
        var text = self
        return text.withUTF8 { bytes in
            guard let first = bytes.first, let last = bytes.last, !bytes.contains(0xe2) else { return nil }
            return (first, last)
        }
    }
}
