import CMarkdown
import InkstoneLayout
import InkstoneText

/// A collector of a block's inline content, in the parser's order: runs with the styles of the spans around them. HTML
/// tags with the meaning of a Markdown span become styles.
struct MarkdownInlines {
    /// An HTML tag: its name, and whether it is a start tag.
    private struct Tag {
        var name: String
        var isStart: Bool
    }

    private let hasLines: Bool
    /// Whether the content is that of a table cell, where tabs become blanks because they separate cells.
    private let isCell: Bool
    private var pieces: [MarkdownInline] = []
    /// The pieces that are HTML tags, by their indices.
    private var tags: [Int: Tag] = [:]
    /// The nesting depths of emphasis, strong emphasis, code and strikethrough at the next piece.
    private var (emphasized, strong, code, deleted) = (0, 0, 0, 0)
    /// The roles of the next piece, according to the nesting of the spans.
    private var roles: InlinePresentationIntent = []
    /// Whether the content so far has a link without a destination.
    private var hasEmptyLink = false
    private var links: [MarkdownInline.Link] = []
    /// The number of open links within descriptions of images. Such links do not become links of the text.
    private var innerLinks = 0
    private var images: [MarkdownImageAttribute.Value] = []
    /// The number of bytes of link and image destinations and titles that each new piece gets.
    private(set) var linkBytes = 0
    /// The number of pieces before the outermost open image.
    private var imageStart = 0
    /// The number of images so far.
    private var imageCount = 0
    /// Whether the last piece is a line end within a tag or comment, which the next piece continues.
    private var isWithinHTML = false

    /// Whether there is no content yet, and no span is open.
    var isEmpty: Bool { pieces.isEmpty && roles.isEmpty && links.isEmpty && images.isEmpty }

    /// Creates a collector.
    ///
    /// - Parameter room: an empty array whose memory is used for the pieces. To avoid a copy, the caller must not keep
    ///   a reference to it.
    init(hasLines: Bool, isCell: Bool = false, room: consuming [MarkdownInline] = []) {
        (self.hasLines, self.isCell) = (hasLines, isCell)
        pieces = room
    }

    /// Removes the pieces, and returns their array for the next content.
    mutating func takeRoom() -> [MarkdownInline] {
        var room = pieces
        pieces = []
        // Free the memory of a very long paragraph.
        room.removeAll(keepingCapacity: room.count < 1024)
        return room
    }

    /// The HTML tags that are expressed by attributes of the text.
    private static let knownTags: Set<String> = ["b", "strong", "i", "em", "s", "del", "code", "u", "sub", "sup"]

    mutating func add(_ text: String, _ role: InlinePresentationIntent = []) {
        var inline = MarkdownInline(isCell ? String(text.map { $0 == "\t" ? " " : $0 }) : text, role.union(roles))
        if let link = links.last { inline.link = link }
        if let image = images.first { inline.image = image }
        pieces.append(inline)
    }

    mutating func addHTML(_ html: String) {
        // Replace a line end within a tag or comment by a line separator, because a newline would end the paragraph of
        // the styled text.
        if html == "\n" || html == "\r" || html == "\r\n" {
            isWithinHTML = true
            return add("\u{2028}", .inlineHTML)
        }
        add(html, .inlineHTML)
        defer { isWithinHTML = false }
        if isWithinHTML { return }
        guard images.isEmpty, let last = pieces.indices.last, html.hasPrefix("<"), html.hasSuffix(">") else { return }
        var name = html.dropFirst().dropLast()
        if ["br", "br/", "br /"].contains(name) {
            pieces[last].text = "\u{2028}"
            pieces[last].roles.remove(.inlineHTML)
            return
        }
        let isStart = name.first != "/"
        if !isStart { name = name.dropFirst() }
        if Self.knownTags.contains(String(name)) { tags[last] = Tag(name: String(name), isStart: isStart) }
    }

    mutating func enter(_ type: Int, _ link: MarkdownInline.Link) {
        count(type, 1)
        switch type {
        case CMARKDOWN_LINK where !images.isEmpty: innerLinks += 1
        case CMARKDOWN_LINK:
            // Remove control characters, but keep the whole length, which `LinkAttribute` would limit.
            var destination = link.destination
            if destination.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f || $0 == 0xc2 }) {
                destination = String(
                    String.UnicodeScalarView(
                        destination.unicodeScalars.filter { $0.properties.generalCategory != .control }))
            }
            if destination.isEmpty { hasEmptyLink = true }
            links.append(.init(destination: destination, title: link.title))
        case CMARKDOWN_IMAGE:
            if images.isEmpty { imageStart = pieces.count }
            imageCount += 1
            images.append(.init(source: link.destination, title: link.title, ordinal: imageCount))
        default: return
        }
        countLinkBytes()
    }

    private mutating func countLinkBytes() {
        let link = links.last.map { $0.destination.utf8.count + $0.title.utf8.count } ?? 0
        linkBytes = link + (images.first.map { $0.source.utf8.count + $0.title.utf8.count } ?? 0)
    }

    private mutating func count(_ type: Int, _ change: Int) {
        switch type {
        case CMARKDOWN_EMPHASIS: emphasized += change
        case CMARKDOWN_STRONG: strong += change
        case CMARKDOWN_CODE_SPAN: code += change
        case CMARKDOWN_DELETED: deleted += change
        default: return
        }
        roles = []
        if emphasized > 0 { roles.insert(.emphasized) }
        if strong > 0 { roles.insert(.stronglyEmphasized) }
        if code > 0 { roles.insert(.code) }
        if deleted > 0 { roles.insert(.strikethrough) }
    }

    mutating func leave(_ type: Int) {
        count(type, -1)
        switch type {
        case CMARKDOWN_LINK where innerLinks > 0: innerLinks -= 1
        case CMARKDOWN_LINK: _ = links.popLast()
        case CMARKDOWN_IMAGE:
            // A picture without a description gets an attachment character as its text.
            if images.count == 1, pieces[imageStart...].allSatisfy(\.text.isEmpty) {
                add(MarkdownInline.picture)
            }
            _ = images.popLast()
        default: return
        }
        countLinkBytes()
    }

    /// Whether the last piece is a line end of the source that is in no span, link or image.
    var endsLine: Bool { pieces.last.map { $0.roles == .softBreak && $0.hasRolesOnly } ?? false && images.isEmpty }

    mutating func removeLast() { pieces.removeLast() }

    /// Replaces the link that has ended last by its text in brackets, if it is not in an image's description. The
    /// text must be one piece.
    mutating func unlinkLast() {
        guard images.isEmpty, let last = pieces.indices.last else { return }
        pieces[last].text = "[\(pieces[last].text)]"
        pieces[last].link = nil
    }

    /// Returns the pieces. Start and end tags that belong together are replaced by the styles that they give to the
    /// text between them.
    mutating func finish() -> [MarkdownInline] {
        // Fast path: most texts have no tags and no empty links.
        if tags.isEmpty, !hasEmptyLink {
            guard pieces.isNormal(hasLines: hasLines) else { return pieces.normalized(hasLines: hasLines) }
            // Copy the elements: `takeRoom()` uses the memory of `pieces` again, which must have no other reference
            // then.
            return pieces.withUnsafeBufferPointer { Array($0) }
        }
        var open: [String: [Int]] = [:]
        var isMatched = Set<Int>()
        for (index, tag) in tags.sorted(by: { $0.key < $1.key }) {
            if tag.isStart {
                open[tag.name, default: []].append(index)
            } else if let start = open[tag.name]?.popLast() {
                isMatched.formUnion([start, index])
            }
        }
        var depths: [String: Int] = [:]
        var levels: [Int] = []
        var result: [MarkdownInline] = []
        for (index, piece) in pieces.enumerated() {
            if isMatched.contains(index), let tag = tags[index] {
                depths[tag.name, default: 0] += tag.isStart ? 1 : -1
                if tag.name == "sup" || tag.name == "sub" {
                    if tag.isStart { levels.append(tag.name == "sup" ? 1 : -1) } else { _ = levels.popLast() }
                }
                continue
            }
            var inline = piece
            for (name, depth) in depths where depth > 0 {
                switch name {
                case "b", "strong": inline.roles.insert(.stronglyEmphasized)
                case "i", "em": inline.roles.insert(.emphasized)
                case "s", "del": inline.roles.insert(.strikethrough)
                case "code": inline.roles.insert(.code)
                case "u": inline.isUnderlined = true
                default: break
                }
            }
            inline.level = levels.last ?? 0
            if inline.link?.destination.isEmpty == true { inline.link = nil }
            result.append(inline)
        }
        return result.normalized(hasLines: hasLines)
    }
}
