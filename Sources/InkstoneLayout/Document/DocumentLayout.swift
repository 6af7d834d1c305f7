import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// A text laid out on demand: a tree of fragments with heights, of which those that were requested have lines.
///
/// `layOut` creates all layout from ``ParagraphInput``, `follow` updates it for a transaction, and ``TextGeometry`` reads it. Units
/// are UTF-16 units of the text, the document's end counting as a terminator of one unit; pixels are those of the document.
///
/// No outside code is called while a property is being modified, so accesses never overlap. Exclusivity checks are off because a key
/// reads the properties a hundred times.
final class DocumentLayout {
    /// The text that is laid out.
    @exclusivity(unchecked) var text: Rope { didSet { emptyParagraphs = nil } }
    /// The attributes of ``text``; nil if it has none.
    @exclusivity(unchecked) var runs: AttributeRuns?
    let tree: FragmentTree
    /// Estimated size of fragments without lines.
    @exclusivity(unchecked) var estimate = HeightEstimate(perParagraph: 16, perUnit: 0) { didSet { epoch += 1 } }
    /// Length of the text that ``estimate`` was made for, in UTF-16 units.
    @exclusivity(unchecked) var estimatedLength = 0
    /// Fonts, style and elements. Changed only by ``change(_:_:)``.
    @exclusivity(unchecked) private(set) var setting: DocumentSetting
    @exclusivity(unchecked) var cache = FragmentCache()
    /// The free room for lines beside the container's exclusion paths; nil if there are none.
    @exclusivity(unchecked) private(set) var exclusions: ExclusionBands?
    /// Direction of the long paragraph laid out last: the paragraph's start, and a unit after the character that decides it.
    @exclusivity(unchecked) var lastDirection: (start: Int, direction: BidiBaseDirection, knownAt: Int)?
    /// The empty paragraphs whose direction was determined last.
    @exclusivity(unchecked) var emptyParagraphs: EmptyParagraphs?
    /// Levels of the paragraphs that are laid out in several fragments.
    @exclusivity(unchecked) var levels = LevelStore()
    /// The numbers of list items.
    @exclusivity(unchecked) var numbers = ListNumbers()
    /// Widest line laid out since the last complete invalidation, whole pixels.
    @exclusivity(unchecked) var widest: Int32 = 0
    /// Whether the width estimate is measured on text that was laid out.
    @exclusivity(unchecked) var isAdvanceMeasured = false
    /// Approximate length of the fragments of a long paragraph: a line, because a key lays out its whole fragment. Without
    /// wrapping, see ``sidewaysLength``.
    @exclusivity(unchecked) private(set) var usualLength = 512
    @exclusivity(unchecked) private var epoch = 0
    /// Text and attributes before a change, which ``tree`` still describes while the lines are updated.
    @exclusivity(unchecked) var unfollowed: (text: Rope, runs: AttributeRuns?)?
    /// Whether a delegate is being called about a fragment, and the layout that it reads meanwhile.
    @exclusivity(unchecked) private(set) var isAsking = false
    @exclusivity(unchecked) private var before: DocumentLayout?

    /// Length above which a paragraph is laid out in several fragments, in units.
    static let longParagraph = 3072
    /// Approximate length of fragments side by side.
    static let sidewaysLength = 512
    /// Distance from known lines, in UTF-16 units, beyond which the text between is skipped and not laid out: some screens full.
    static let jump = 1 << 13
    /// The same distance without wrapping, where none of the text between is visible.
    static let sidewaysJump = 2048

    init(_ text: StyledText, _ setting: DocumentSetting) {
        self.text = text.rope
        self.setting = setting
        tree = FragmentTree(units: 1, paragraphs: 1)
        invalidate(text)
    }

    /// Copies a layout before a change, for reading while the change is made. Fragments that it had not laid out are laid out without
    /// delegates. O(n) for n fragments.
    private init(before layout: DocumentLayout) {
        (text, runs) = layout.unfollowed ?? (layout.text, layout.runs)
        setting = layout.setting
        setting.elements = DocumentElements(silent: layout.setting.elements.contentManager)
        tree = FragmentTree(copying: layout.tree)
        (estimate, estimatedLength) = (layout.estimate, layout.estimatedLength)
        exclusions = layout.exclusions
        widest = layout.widest
        isAdvanceMeasured = layout.isAdvanceMeasured
        usualLength = layout.usualLength
    }

    /// The layout to read: this one, or during a delegate call about a fragment, a copy from before the call.
    var current: DocumentLayout {
        guard isAsking else { return self }
        if let before { return before }
        let made = DocumentLayout(before: self)
        before = made
        return made
    }

    /// Runs code that may call a delegate, which may read the layout: see ``current``.
    func asking<Result>(_ body: () -> Result) -> Result {
        guard setting.elements.mayAsk else { return body() }
        isAsking = true
        defer { (isAsking, before) = (false, nil) }
        return body()
    }

    /// Generation, increased by every change that may move or alter a line. As long as it is equal, geometry read before is valid.
    var generation: Int { epoch &+ tree.changes }

    var tools: LayoutTools { setting.tools }
    /// The room for lines, whole pixels.
    var room: LineRoom { setting.room }
    /// Whether paragraphs are single lines, so that heights are exact by counting.
    var isUnwrapped: Bool { setting.room.width == nil }

    /// Changes fonts, style or container, discards all lines, and continues with a text. O(1).
    func change(_ text: StyledText, _ body: (inout DocumentSetting) -> Void) {
        body(&setting)
        invalidate(text)
    }

    /// Sets the delegate for custom fragments. Nothing is laid out anew.
    func setDelegate(_ delegate: (any TextLayoutManagerDelegate)?, of owner: TextLayoutManager) {
        setting.elements.delegate = delegate
        setting.elements.owner = owner
    }

    /// Discards all lines, and continues with a text. O(1).
    func invalidate(_ styled: StyledText) {
        text = styled.rope
        runs = styled.runs
        cache = FragmentCache()
        lastDirection = nil
        levels = LevelStore()
        numbers = ListNumbers()
        exclusions = setting.options.container.exclusionBands
        widest = 0
        isAdvanceMeasured = false
        tree.reset(units: text.metrics.utf16 + 1, paragraphs: text.paragraphCount)
        estimate = setting.firstEstimate(of: text)
        estimatedLength = text.metrics.utf16
        usualLength = Int(min(1024, max(128, 1.2 * (setting.unitsPerLine ?? 0))))
    }

    /// Discards the lines of a range: its paragraphs are laid out anew when next requested. O(log n) plus the fragments.
    func invalidate(_ range: Range<UTF16Offset>) {
        let low = tree.fragment(at: clamped(range.lowerBound)).before
        let last = tree.fragment(at: clamped(max(range.lowerBound, range.upperBound)))
        let end = last.before.units + last.fragment.units
        let paragraphs = last.before.paragraphs + last.fragment.paragraphs - low.paragraphs
        tree.replace(low.units..<end, with: [Fragment(gap: end - low.units, paragraphs: paragraphs)])
    }

    /// Height of the whole text in pixels; an estimate as long as parts of it were not laid out.
    var height: Double { estimate.height(of: tree.total).rounded(.up) }

    /// Clamps an offset to the text.
    func clamped(_ offset: UTF16Offset) -> Int { min(max(0, offset.value), text.metrics.utf16) }

    /// Returns the y of the end of `sum`, in pixels.
    func top(of sum: FragmentSum) -> Double { estimate.height(of: sum).rounded(.down) }

    // MARK: Fragments

    /// Returns the fragment that holds a unit; lays it out if needed. O(log n) if it is laid out.
    func placedFragment(at unit: Int) -> PlacedFragment {
        if exclusions != nil { layOutBesideExclusions() }
        return placed(at: unit)
    }

    /// Returns the fragment that holds a unit without regard to exclusion paths.
    func placed(at unit: Int) -> PlacedFragment {
        // A single key requests the same fragment about twenty times.
        if let known = cache.last(at: unit, generation) { return known }
        let (found, before) = tree.fragment(at: unit)
        if !found.isGap, let lines = found.layout, updateMarker(of: lines, at: before.paragraphs) {
            return place(lines, found, before)
        }
        layOut(at: unit, in: found, before)
        let (made, beforeMade) = tree.fragment(at: unit)
        guard let lines = made.layout else { preconditionFailure("a fragment was just laid out") }
        return place(lines, made, beforeMade)
    }

    private func place(_ lines: LaidFragment, _ fragment: Fragment, _ before: FragmentSum) -> PlacedFragment {
        let placed = PlacedFragment(
            fragment: lines, start: before.units, paragraph: before.paragraphs, units: fragment.units,
            y: top(of: before), x: lines.isSideways ? sidewaysX(of: lines, fragment, before) : 0)
        cache.use(placed, generation)
        return placed
    }

    /// Drops the lines of fragments that were not used recently; their heights stay. With very many fonts in use, fewer are kept.
    /// O(n log n) in the lines kept, independent of the document's size.
    func evict() {
        if cache.isOverfull { cache.evict() }
        guard tools.context.isCrowded else { return }
        cache.evict(to: FragmentCache.limit / 8)
        tools.context.releaseUnused()
    }

    /// Lays out text with estimated heights, from the start of the document on, until `deadline` returns true; keeps the
    /// heights and not the lines. Returns whether all heights are exact. Texts above `limit` units stay estimated.
    func refineHeights(limit: Int, until deadline: () -> Bool) -> Bool {
        guard text.metrics.utf16 <= limit else { return tree.total.gapUnits == 0 }
        while let unit = tree.firstGap() {
            let mark = cache.mark
            _ = placedFragment(at: unit)
            // Only the height is needed.
            cache.drop(to: mark)
            if deadline() { return tree.total.gapUnits == 0 }
        }
        return true
    }
}
