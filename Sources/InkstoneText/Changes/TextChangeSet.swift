import InkstoneBase

/// A set of replacements in one version of a text, as a value: positions, removed texts and inserted texts.
///
/// Sections are in order and do not overlap; they may touch. Each starts and ends between scalars, and not between
/// CR and LF, in the old and in the new text. An edit that would bring together bytes of one scalar, or CR and LF,
/// is widened to include them. So the lengths of removed and inserted texts are exactly the shrinkage and growth of
/// the text, in every unit.
///
/// Immutable. Copies and inversion are O(1) and share the texts; a set of one section allocates nothing.
///
/// | What is mapped | bias of start / end | if its text is removed |
/// |---|---|---|
/// | caret, mark | downstream | – |
/// | selected range | downstream / upstream | becomes a caret |
/// | place of a paste, late answer or deferred edit | downstream / upstream; empty: upstream | stays as a point |
/// | marked text | downstream / upstream; overlap ends the composition | – |
/// | decoration | downstream / upstream | is removed |
/// | scroll anchor; everything at the end while a file loads | upstream | – |
/// | origin of a drag | upstream / downstream | stays as a point |
///
/// With bias *upstream* an offset stays before text inserted at it, with *downstream* it moves after that text. If
/// the text of a range is replaced, the range's start and end map to the start and end of the new text with either
/// bias.
public struct TextChangeSet: Sendable {
    enum Texts: Sendable {
        case none
        case one(removed: Rope, inserted: Rope)
        case many(TextPiecesPair, isInverted: Bool)
    }

    /// The positions and lengths of the sections, without their texts.
    public let changeMap: TextChangeMap
    let texts: Texts
    /// The changes of attributes. Nil if neither the old nor the new text has attributes, or if the changes are
    /// still to be resolved.
    var patch: AttributePatch?

    init(_ changeMap: TextChangeMap, _ texts: Texts, patch: AttributePatch? = nil) {
        self.changeMap = changeMap
        self.texts = texts
        self.patch = patch
    }

    /// Creates an empty change of a text.
    public init(none text: Rope) {
        self.init(none: TextPoint(text.metrics))
    }

    init(none length: TextPoint) {
        changeMap = TextChangeMap(none: length)
        texts = .none
    }

    /// Creates a single replacement of a range of bytes. The range is clamped to the text; an end inside a scalar means
    /// the scalar's start. Replacing an empty range by an empty text makes an empty set. O(log n).
    public init(replacing range: Range<ByteOffset>, with new: Rope, in text: Rope) {
        let (range, new, before) = text.widened(range, new)
        guard !range.isEmpty || !new.isEmpty else {
            self.init(none: text)
            return
        }
        self.init(
            replacing: text.slice(range), at: TextPoint(before), with: new, length: TextPoint(text.metrics))
    }

    /// Creates a single replacement of a range of UTF-16 units, clamped to the text. O(log n).
    public init(replacing range: Range<UTF16Offset>, with new: Rope, in text: Rope) {
        self.init(replacing: text.byteRange(of: range), with: new, in: text)
    }

    /// Creates a single replacement in a text with the given length. The ends must be valid section boundaries.
    init(replacing removed: Rope, at start: TextPoint, with inserted: Rope, length: TextPoint) {
        let section = TextSectionList.Packed(
            start: start, removed: TextPoint(removed.metrics), inserted: TextPoint(inserted.metrics))
        changeMap = TextChangeMap(section, oldLength: length)
        texts = .one(removed: removed, inserted: inserted)
    }

    /// Whether no text is replaced, and no attribute changed.
    public var isEmpty: Bool {
        if case .none = texts { return patch?.count ?? 0 == 0 }
        return false
    }

    /// The ranges whose attributes differ from before, in UTF-16 units of the new text, in order. They include
    /// inserted text, and an empty range where text was only deleted. There are none if neither the old nor the new
    /// text has attributes, and none in a change that was made from texts alone, as by a ``Builder``: the change in an
    /// ``AppliedTransaction`` has the ranges.
    package var restyledRanges: [Range<UTF16Offset>] { patch?.newRanges ?? [] }

    /// Whether the set holds the attributes of the new text where they change, including inserted text. Otherwise
    /// inserted text inherits attributes from its surroundings.
    package var hasStyles: Bool { patch != nil }

    /// Number of sections, each of which is one replacement.
    public var count: Int { changeMap.count }

    /// The length of the old text, in all three units.
    package var oldLength: TextPoint { changeMap.oldLength }
    /// The length of the new text, in all three units.
    package var newLength: TextPoint { changeMap.newLength }

    /// The inverse change, with the same texts. O(1).
    public var inverted: TextChangeSet {
        let inverse: Texts =
            switch texts {
            case .none: .none
            case .one(let removed, let inserted): .one(removed: inserted, inserted: removed)
            case .many(let pair, let isInverted): .many(pair, isInverted: !isInverted)
            }
        return TextChangeSet(changeMap.inverted, inverse, patch: patch?.inverted)
    }

    /// Returns the text that a section removes. In a set of many sections, a short text is copied.
    package func removedText(_ index: Int) -> Rope {
        switch texts {
        case .none: preconditionFailure("no section")
        case .one(let removed, _): removed
        case .many(let pair, let isInverted): (isInverted ? pair.inserted : pair.removed)[index]
        }
    }

    /// Returns the text that a section inserts. In a set of many sections, a short text is copied.
    public func insertedText(_ index: Int) -> Rope {
        switch texts {
        case .none: preconditionFailure("no section")
        case .one(_, let inserted): inserted
        case .many(let pair, let isInverted): (isInverted ? pair.removed : pair.inserted)[index]
        }
    }

    /// Returns the same change for the old text with more text at its end; `length` is the length of the additional
    /// text.
    func extended(by length: TextPoint) -> TextChangeSet {
        TextChangeSet(changeMap.extended(by: length), texts, patch: patch)
    }

    /// The same change of the text alone, without changes of attributes.
    package var withoutAttributes: TextChangeSet { TextChangeSet(changeMap, texts) }

    /// Whether the change leaves the text as it is: every section inserts exactly the text that it removes, and no
    /// attribute changes. O(n) in the texts.
    package var isIdentity: Bool {
        guard changeMap.oldLength == changeMap.newLength, patch?.isIdentity ?? true else { return false }
        var index = 0
        for section in changeMap {
            guard section.removed == section.inserted, removedText(index) == insertedText(index) else { return false }
            index += 1
        }
        return true
    }

    /// Approximate memory use in bytes, including ``heldContents``. O(1) without changes of attributes.
    var cost: Int { heldContents.reduce(costWithoutContents) { $0 + $1.value } }

    /// The sizes in bytes of the contents of attachments that the change removes, by the identity of the contents
    /// object.
    var heldContents: [ObjectIdentifier: Int] { patch?.heldContents ?? [:] }

    /// Approximate memory use in bytes, without ``heldContents``. O(1) without changes of attributes.
    var costWithoutContents: Int {
        let styles = patch?.cost ?? 0
        return switch texts {
        case .none: styles
        case .one(let removed, let inserted): 256 + removed.metrics.bytes + inserted.metrics.bytes + styles
        case .many(let pair, _): pair.cost + count * MemoryLayout<TextSectionList.Packed>.stride + styles
        }
    }

    /// Approximate memory use of the inserted texts, in bytes. O(1) and the number of texts longer than 1 KB.
    package var insertedCost: Int {
        switch texts {
        case .none: 0
        case .one(_, let inserted): inserted.metrics.bytes
        case .many(let pair, let isInverted): (isInverted ? pair.removed : pair.inserted).cost
        }
    }

    // MARK: Mapping offsets and ranges

    /// Maps an offset of the old text to the new text, in UTF-16 units. For the biases to use, see the table of
    /// ``TextChangeSet``. O(log n).
    public func map(_ offset: UTF16Offset, bias: TextAffinity) -> UTF16Offset { changeMap.map(offset, bias: bias) }

    /// Maps an offset of the old text to the new text, in bytes. O(log n).
    public func map(_ offset: ByteOffset, bias: TextAffinity) -> ByteOffset { changeMap.map(offset, bias: bias) }

    /// Maps a range of the old text to the new text; text inserted at the range's ends stays outside. See
    /// ``TextChangeMap/map(_:)``.
    public func map(_ range: Range<UTF16Offset>) -> Range<UTF16Offset> { changeMap.map(range) }

    /// Maps an offset of the old text to the new text, and returns on which sides of the offset text was removed.
    /// O(log n).
    package func mapReporting(
        _ offset: UTF16Offset, bias: TextAffinity
    ) -> (offset: UTF16Offset, deletion: TextChangeMap.Deletion) {
        changeMap.mapReporting(offset, bias: bias)
    }

    /// Whether a section overlaps a range of the old text, or touches an end of the range. O(log n).
    public func touches(_ range: Range<UTF16Offset>) -> Bool { changeMap.touches(range) }
}

extension TextChangeSet: Equatable {
    /// Whether both sets replace the same ranges by the same texts with the same attributes. O(n) in the texts.
    public static func == (a: Self, b: Self) -> Bool {
        guard a.changeMap == b.changeMap, a.patch == b.patch else { return false }
        return (0..<a.count).allSatisfy {
            a.removedText($0) == b.removedText($0) && a.insertedText($0) == b.insertedText($0)
        }
    }
}

/// A builder of a change set from sections in order, whose ends are known to be valid section boundaries.
struct TextChangeWriter {
    private var sections: [TextSectionList.Packed] = []
    /// The removed and the inserted text of the section that is being written.
    var removed = TextPieces()
    var inserted = TextPieces()

    /// Ends the section being written, which starts at a position of the old text. A section that removes and
    /// inserts no text is left out.
    mutating func finishSection(at start: TextPoint) {
        let removed = removed.finishPiece()
        let inserted = inserted.finishPiece()
        if removed == .zero, inserted == .zero {
            self.removed.dropEmptyPiece()
            self.inserted.dropEmptyPiece()
            return
        }
        sections.append(TextSectionList.Packed(start: start, removed: removed, inserted: inserted))
    }

    func finish(length: TextPoint) -> TextChangeSet {
        switch sections.count {
        case 0: return TextChangeSet(none: length)
        case 1:
            return TextChangeSet(
                replacing: removed[0], at: sections[0].start, with: inserted[0], length: length)
        default:
            return TextChangeSet(
                TextChangeMap(TextSectionList(sections), oldLength: length),
                .many(TextPiecesPair(removed: removed, inserted: inserted), isInverted: false))
        }
    }
}
