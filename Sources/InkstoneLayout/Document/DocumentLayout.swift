import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// The layout of a text, made on demand: a tree of fragments and their heights, in which only the fragments that
/// were requested have lines.
///
/// `layOut` creates all layout from ``ParagraphInput``, `follow` updates it for a transaction, and ``TextGeometry``
/// reads it. Units are UTF-16 units of the text; the document's end counts as a terminator of one unit. Pixels are
/// relative to the document's top left.
///
/// No outside code is called while a property is being modified, so accesses never overlap. Exclusivity checks are
/// therefore off: one key press reads the properties a hundred times.
final class DocumentLayout {
    /// The text that is laid out.
    @exclusivity(unchecked) var text: Rope { didSet { emptyParagraphs = nil } }
    /// The attributes of ``text``; nil if it has none.
    @exclusivity(unchecked) var runs: AttributeRuns?
    let tree: FragmentTree
    /// Estimated size of text that was not laid out.
    @exclusivity(unchecked) var estimate = HeightEstimate(perParagraph: 16, perUnit: 0) { didSet { epoch += 1 } }
    /// Length of the text that ``estimate`` was made for, in UTF-16 units.
    @exclusivity(unchecked) var estimatedLength = 0
    /// Fonts, styles and document elements. Changed only by ``change(_:_:)``.
    @exclusivity(unchecked) private(set) var setting: DocumentSetting
    @exclusivity(unchecked) var cache = FragmentCache()
    /// Free room for lines beside the container's exclusion paths; nil if the container has none.
    @exclusivity(unchecked) private(set) var exclusions: ExclusionBands?
    /// Direction of the long paragraph laid out last, with the paragraph's start and the end of the UTF-16 units that
    /// were searched for the character that decides the direction.
    @exclusivity(unchecked) var lastDirection: (start: Int, direction: BidiBaseDirection, knownAt: Int)?
    /// The empty paragraphs whose direction was determined last.
    @exclusivity(unchecked) var emptyParagraphs: EmptyParagraphs?
    /// Bidi levels of the paragraphs that are laid out in several fragments.
    @exclusivity(unchecked) var levels = LevelStore()
    @exclusivity(unchecked) var numbers = ListNumbers()
    /// The width of the widest line laid out since all lines were last discarded or replaced, in whole pixels.
    @exclusivity(unchecked) var widest: Int32 = 0
    /// Whether the estimated width of a UTF-16 unit was measured on laid-out text.
    @exclusivity(unchecked) var isAdvanceMeasured = false
    /// Approximate length of a fragment of a long paragraph, in UTF-16 units: about a line, because each key press
    /// lays out a whole fragment. Without wrapping, see ``sidewaysLength``.
    @exclusivity(unchecked) private(set) var usualLength = 512
    @exclusivity(unchecked) private var epoch = 0
    /// The text and attributes before the current change. While the change is applied, ``tree`` still describes this
    /// text.
    @exclusivity(unchecked) var unfollowed: (text: Rope, runs: AttributeRuns?)?
    /// Whether a delegate is being called while a fragment is laid out. ``before`` is the copy of the layout that the
    /// delegate reads during the call.
    @exclusivity(unchecked) private(set) var isAsking = false
    @exclusivity(unchecked) private var before: DocumentLayout?

    /// Length above which a paragraph is laid out in several fragments, in units.
    static let longParagraph = 3072
    /// Approximate length, in UTF-16 units, of fragments side by side on one line.
    static let sidewaysLength = 512
    /// Distance from lines that are laid out, in UTF-16 units, beyond which the text between them and a requested
    /// position is skipped instead of laid out: the length of a few screens of text.
    static let jump = 1 << 13
    /// The same distance as ``jump`` for lines that do not wrap: text between laid-out text and a requested position
    /// is skipped if it has more UTF-16 units. The length of four fragments.
    static let sidewaysJump = 2048

    init(_ text: StyledText, _ setting: DocumentSetting) {
        self.text = text.rope
        self.setting = setting
        tree = FragmentTree(units: 1, paragraphs: 1)
        invalidate(text)
    }

    /// Creates a copy of a layout as it was before a change, to be read while the change is made. The copy lays out
    /// further fragments without calling delegates.
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

    /// The layout to read: this one or, during a delegate call about a fragment, a copy of the layout before the
    /// call.
    var current: DocumentLayout {
        guard isAsking else { return self }
        if let before { return before }
        let made = DocumentLayout(before: self)
        before = made
        return made
    }

    /// Runs code that may call a delegate; meanwhile the delegate reads ``current``.
    func asking<Result>(_ body: () -> Result) -> Result {
        guard setting.elements.mayAsk else { return body() }
        isAsking = true
        defer { (isAsking, before) = (false, nil) }
        return body()
    }

    /// A counter, increased by each change that may move or alter a line. Geometry read before is valid as long as
    /// the counter is unchanged.
    var generation: Int { epoch &+ tree.changes }

    var tools: LayoutTools { setting.tools }
    /// Width of lines and alignment, in whole pixels.
    var room: LineRoom { setting.room }
    /// Whether lines do not wrap, so that each paragraph is one line.
    var isUnwrapped: Bool { setting.room.width == nil }

    /// Changes fonts, style or container, discards all lines and uses `text` from now on. O(1).
    func change(_ text: StyledText, _ body: (inout DocumentSetting) -> Void) {
        body(&setting)
        invalidate(text)
    }

    /// Sets the delegate that provides custom fragments. Existing layout is kept.
    func setDelegate(_ delegate: (any TextLayoutManagerDelegate)?, of owner: TextLayoutManager) {
        setting.elements.delegate = delegate
        setting.elements.owner = owner
    }

    /// Discards all lines and uses `styled` from now on. O(1).
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

    /// Discards the lines of the paragraphs in a range; they are laid out anew when next requested. O(log n) plus
    /// the fragments in the range.
    func invalidate(_ range: Range<UTF16Offset>) {
        let low = tree.fragment(at: clamped(range.lowerBound)).before
        let last = tree.fragment(at: clamped(max(range.lowerBound, range.upperBound)))
        let end = last.before.units + last.fragment.units
        let paragraphs = last.before.paragraphs + last.fragment.paragraphs - low.paragraphs
        tree.replace(low.units..<end, with: [Fragment(gap: end - low.units, paragraphs: paragraphs)])
    }

    /// Height of the whole text in pixels; an estimate as long as some text is not laid out.
    var height: Double { estimate.height(of: tree.total).rounded(.up) }

    func clamped(_ offset: UTF16Offset) -> Int { min(max(0, offset.value), text.metrics.utf16) }

    /// Returns the y, in pixels, below the fragments that `sum` adds up.
    func top(of sum: FragmentSum) -> Double { estimate.height(of: sum).rounded(.down) }

    // MARK: Fragments

    /// Returns the fragment that holds a UTF-16 unit, and lays it out first if needed. O(log n) if it is laid out
    /// already.
    func placedFragment(at unit: Int) -> PlacedFragment {
        if exclusions != nil { layOutBesideExclusions() }
        return placed(at: unit)
    }

    /// Returns the fragment that holds a UTF-16 unit, without first laying out the text beside exclusion paths.
    func placed(at unit: Int) -> PlacedFragment {
        // Check the last fragment first: a key press requests the same fragment about twenty times.
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

    /// If the cache holds too many lines, drops those of fragments that were not used recently; their heights are
    /// kept. If very many fonts are in use, keeps fewer lines: fonts can then be closed. O(n log n) in the kept
    /// fragments, independent of the document's size.
    func evict() {
        if cache.isOverfull { cache.evict() }
        guard tools.context.isCrowded else { return }
        cache.evict(to: FragmentCache.limit / 8)
        tools.context.releaseUnused()
    }

    /// Replaces estimated heights by exact ones: lays out text from the start of the document until `deadline`
    /// returns true, and keeps only the heights. Returns whether all heights are exact. Texts longer than `limit`
    /// units are not laid out.
    func refineHeights(limit: Int, until deadline: () -> Bool) -> Bool {
        guard text.metrics.utf16 <= limit else { return tree.total.gapUnits == 0 }
        while let unit = tree.firstGap() {
            let mark = cache.mark
            _ = placedFragment(at: unit)
            // Only the height is needed: drop the lines.
            cache.drop(to: mark)
            if deadline() { return tree.total.gapUnits == 0 }
        }
        return true
    }
}
