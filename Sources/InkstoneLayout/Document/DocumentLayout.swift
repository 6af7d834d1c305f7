import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// A text laid out on demand: a tree of fragments with heights, of which those that somebody asked about have lines.
///
/// Everything that is laid out is made by `layOut` from ``ParagraphInput``; a transaction is followed by `follow`; what is read from it
/// is ``TextGeometry``. Units are UTF-16 units of the text, the
/// document's end counting as a terminator of one unit; pixels are those of the document.
///
/// Nobody outside is called while a property is being changed, so that no change of one meets another: a key reads them a
/// hundred times, and they are not checked for it each time.
final class DocumentLayout {
    /// The text as it is laid out.
    @exclusivity(unchecked) var text: Rope { didSet { emptyParagraphs = nil } }
    /// The attributes of ``text``; nil if it has none.
    @exclusivity(unchecked) var runs: AttributeRuns?
    let tree: FragmentTree
    /// What fragments without lines are taken to measure.
    @exclusivity(unchecked) var estimate = HeightEstimate(perParagraph: 16, perUnit: 0) { didSet { epoch += 1 } }
    /// Length of the text that ``estimate`` was made for, in UTF-16 units.
    @exclusivity(unchecked) var estimatedLength = 0
    /// Fonts, style and elements. Changed only by ``change(_:_:)``.
    @exclusivity(unchecked) private(set) var setting: DocumentSetting
    @exclusivity(unchecked) var cache = FragmentCache()
    /// Where lines find room beside the container's exclusion paths; nil if there are none.
    @exclusivity(unchecked) private(set) var exclusions: ExclusionBands?
    /// Direction of the long paragraph laid out last: where it starts, and a unit before which what decides it stands.
    @exclusivity(unchecked) var lastDirection: (start: Int, direction: BidiBaseDirection, knownAt: Int)?
    /// Empty paragraphs whose direction was asked for last.
    @exclusivity(unchecked) var emptyParagraphs: EmptyParagraphs?
    /// Levels of the paragraphs that are laid out in several fragments.
    @exclusivity(unchecked) var levels = LevelStore()
    /// The numbers of list items.
    @exclusivity(unchecked) var numbers = ListNumbers()
    /// Widest line laid out since all lines were others, whole pixels.
    @exclusivity(unchecked) var widest: Int32 = 0
    /// Whether the estimate of widths comes from text that was laid out.
    @exclusivity(unchecked) var isAdvanceMeasured = false
    /// About how long fragments of a long paragraph are: a line, because a key lays out its whole fragment. Where lines do
    /// not wrap, see ``sidewaysLength``.
    @exclusivity(unchecked) private(set) var usualLength = 512
    @exclusivity(unchecked) private var epoch = 0
    /// Text and attributes before a change, which ``tree`` is still of while the lines follow it.
    @exclusivity(unchecked) var unfollowed: (text: Rope, runs: AttributeRuns?)?
    /// Whether somebody outside is being asked about a fragment, and what they see if they ask back.
    @exclusivity(unchecked) private(set) var isAsking = false
    @exclusivity(unchecked) private var before: DocumentLayout?

    /// Units above which a paragraph is laid out in several fragments.
    static let longParagraph = 3072
    /// About how long fragments that stand side by side are.
    static let sidewaysLength = 512
    /// What lies further behind known lines than this is not reached by laying out all between, in UTF-16 units: some screens full.
    static let jump = 1 << 13
    /// The same where lines do not wrap: nothing of what lies between is seen.
    static let sidewaysJump = 2048

    init(_ text: StyledText, _ setting: DocumentSetting) {
        self.text = text.rope
        self.setting = setting
        tree = FragmentTree(units: 1, paragraphs: 1)
        invalidate(text)
    }

    /// Copy of a layout before a change, to be read while it makes one: what it has laid out, and all else as it looks when nobody
    /// is asked about it. O(n) for n fragments.
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

    /// The layout to read: this one; while somebody outside is asked about a fragment, a copy of it as it was before.
    var current: DocumentLayout {
        guard isAsking else { return self }
        if let before { return before }
        let made = DocumentLayout(before: self)
        before = made
        return made
    }

    /// Calls what may ask somebody outside, who may ask back: see ``current``.
    func asking<Result>(_ body: () -> Result) -> Result {
        guard setting.elements.mayAsk else { return body() }
        isAsking = true
        defer { (isAsking, before) = (false, nil) }
        return body()
    }

    /// Grows with everything that may move or change a line: as long as it stays, geometry that was asked for stands.
    var generation: Int { epoch &+ tree.changes }

    var tools: LayoutTools { setting.tools }
    /// Where lines have room, whole pixels.
    var room: LineRoom { setting.room }
    /// Whether paragraphs are single lines, so that heights are exact by counting.
    var isUnwrapped: Bool { setting.room.width == nil }

    /// Changes fonts, style or container, forgets all lines, and lays out a text from now on. O(1).
    func change(_ text: StyledText, _ body: (inout DocumentSetting) -> Void) {
        body(&setting)
        invalidate(text)
    }

    /// Changes who says how elements look. Nothing is laid out anew.
    func setDelegate(_ delegate: (any TextLayoutManagerDelegate)?, of owner: TextLayoutManager) {
        setting.elements.delegate = delegate
        setting.elements.owner = owner
    }

    /// Forgets all lines, and lays out a text from now on. O(1).
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

    /// Forgets the lines of a range: its paragraphs are laid out anew when next asked for. O(log n) and the fragments.
    func invalidate(_ range: Range<UTF16Offset>) {
        let low = tree.fragment(at: clamped(range.lowerBound)).before
        let last = tree.fragment(at: clamped(max(range.lowerBound, range.upperBound)))
        let end = last.before.units + last.fragment.units
        let paragraphs = last.before.paragraphs + last.fragment.paragraphs - low.paragraphs
        tree.replace(low.units..<end, with: [Fragment(gap: end - low.units, paragraphs: paragraphs)])
    }

    /// Height of the whole text in pixels; an estimate as long as parts of it were not laid out.
    var height: Double { estimate.height(of: tree.total).rounded(.up) }

    /// A unit of the text for an offset that may lie outside it.
    func clamped(_ offset: UTF16Offset) -> Int { min(max(0, offset.value), text.metrics.utf16) }

    /// Top of what comes after `sum`, in pixels.
    func top(of sum: FragmentSum) -> Double { estimate.height(of: sum).rounded(.down) }

    // MARK: Fragments

    /// The fragment that holds a unit; lays it out if needed. O(log n) if it is there.
    func placedFragment(at unit: Int) -> PlacedFragment {
        if exclusions != nil { layOutBesideExclusions() }
        return placed(at: unit)
    }

    /// The same without regard to exclusion paths.
    func placed(at unit: Int) -> PlacedFragment {
        // One key asks for the same fragment twenty times.
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

    /// Drops the lines of fragments that were not used for long; their heights stay. Where they use very many fonts, fewer are kept.
    /// O(n log n) in the lines kept, however large the document is.
    func evict() {
        if cache.isOverfull { cache.evict() }
        guard tools.context.isCrowded else { return }
        cache.evict(to: FragmentCache.limit / 8)
        tools.context.releaseUnused()
    }

    /// Lays out what has only estimated heights, from the start of the document on, until `deadline` says stop; keeps the
    /// heights and not the lines. Returns whether everything is exact now. Texts above `limit` units stay estimated.
    func refineHeights(limit: Int, until deadline: () -> Bool) -> Bool {
        guard text.metrics.utf16 <= limit else { return tree.total.gapUnits == 0 }
        while let unit = tree.firstGap() {
            let mark = cache.mark
            _ = placedFragment(at: unit)
            // Only the height is wanted.
            cache.drop(to: mark)
            if deadline() { return tree.total.gapUnits == 0 }
        }
        return true
    }
}
