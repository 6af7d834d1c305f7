import InkstoneBase

/// The attributes of a text by range: runs of equal attributes, in a tree that stores lengths rather than offsets,
/// so that an edit shifts all following runs at no cost.
///
/// A value: copies share their nodes and are O(1). Lengths and offsets are UTF-16 units; offsets are clamped.
///
/// **Invariants**: runs are not empty, and no two neighbours are equal (unless they have 2³² units or more together);
/// all leaves have the same depth. **Memory**: 12 bytes a run, plus the unused room of half-full leaves; about 300
/// bytes for each different set of attributes while a run has it. **Complexity**, n being the number of runs: reading
/// O(log n), replacing O(log n) within a leaf and O(log² n) otherwise; O(k) more for k runs that are read.
public struct AttributeRuns: Sendable {
    /// A run of text with the same attributes. If an attribute is bound to a character, each such character is a
    /// run of its own: two equal pictures side by side are two runs.
    public struct Run: Equatable, Sendable {
        /// The range of the run, in UTF-16 units; not empty.
        public var range: Range<UTF16Offset>
        /// The attributes of the run; may be empty.
        public var attributes: TextAttributes
    }

    private typealias Tree = SummedTree<AttributeRunLeaf>

    // Sendable although the leaves are not: they are immutable while shared.
    nonisolated(unsafe) private var tree: Tree

    private init(_ tree: Tree) { self.tree = tree }

    /// Creates the runs of an empty text.
    public init() { tree = Tree() }

    /// Creates the runs of a text with the given length and the same attributes everywhere.
    public init(length: Int, _ attributes: TextAttributes) {
        self.init(length: length, AttributeTable.id(of: attributes))
    }

    init(length: Int, _ id: AttributeID) {
        self.init()
        for start in stride(from: 0, to: length, by: AttributeRun.longest) {
            tree.append(Tree(AttributeRunLeaf(AttributeRun(length: min(length - start, AttributeRun.longest), id: id))))
        }
    }

    /// Creates the tree of leaves in order. No two neighbouring runs may be equal.
    init(leaves: [AttributeRunLeaf]) { tree = Tree(leaves) }

    /// Creates runs with the given lengths and attributes, in order. Equal neighbours are merged.
    init(_ runs: some Sequence<(length: Int, id: AttributeID)>) {
        var builder = AttributeRunsBuilder()
        for (length, id) in runs { builder.append(length, id) }
        self = builder.finish()
    }

    /// Length of the text, in UTF-16 units.
    public var length: Int { tree.summary.length }
    /// Number of runs of equal attributes. O(n).
    public var runCount: Int {
        var count = 0
        tree.forEachLeaf { leaf, _ in
            count += leaf.ids.count
            return true
        }
        return count
    }
    /// Whether no part of the text has attributes.
    public var isPlain: Bool { !tree.summary.hasAttributes }
    /// The rules of all attributes that occur, which edits have to follow.
    var rules: AttributeRules { tree.summary.rules }

    // MARK: Looking up

    /// Returns the run that contains a UTF-16 unit; at the end of the text the last run, nil in an empty text.
    public func run(at offset: UTF16Offset) -> Run? {
        guard length > 0 else { return nil }
        let at = min(max(0, offset.value), length - 1)
        var (run, start) = find(at)
        if let width = run.id.scalarWidth {
            start += (at - start) / width * width
            run.length = width
        }
        return Run(
            range: UTF16Offset(start)..<UTF16Offset(start + run.length), attributes: run.id.attributes)
    }

    /// Returns the attributes of a UTF-16 unit of the text; at the end of the text, those of the last unit.
    package func id(at offset: UTF16Offset) -> AttributeID { id(at: min(max(0, offset.value), length - 1)) }

    /// Returns the attributes of a UTF-16 unit of the text.
    func id(at offset: Int) -> AttributeID { length > 0 ? find(offset).run.id : .none }

    /// Returns the run that contains a UTF-16 unit of the text, and the run's start.
    private func find(_ offset: Int) -> (run: AttributeRun, start: Int) {
        let (leaf, _, before) = tree.leaf { $0.length <= offset }
        return leaf._withUnsafeGuaranteedRef {
            let (index, start) = $0.index(of: offset - before.length)
            return ($0.run(index), before.length + start)
        }
    }

    /// Returns the attributes and the range of the run that contains a UTF-16 unit; nil outside the text.
    func idRun(at offset: Int) -> (id: AttributeID, range: Range<Int>)? {
        guard offset >= 0, offset < length else { return nil }
        let (run, start) = find(offset)
        return (run.id, start..<start + run.length)
    }

    /// Calls `body` with the runs of a range, cut to the range, in order. Setting the second argument of `body` to
    /// true stops.
    public func forEachRun(in range: Range<UTF16Offset>, _ body: (Run, inout Bool) -> Void) {
        forEachID(in: range.lowerBound.value..<range.upperBound.value) { id, range in
            var stop = false
            let width = id.scalarWidth ?? range.count
            for start in stride(from: range.lowerBound, to: range.upperBound, by: width) where !stop {
                let end = min(start + width, range.upperBound)
                body(Run(range: UTF16Offset(start)..<UTF16Offset(end), attributes: id.attributes), &stop)
            }
            return !stop
        }
    }

    /// Calls `body` with the runs of a range, cut to the range, in order.
    package func forEachID(in range: Range<UTF16Offset>, _ body: (AttributeID, Range<UTF16Offset>) -> Void) {
        forEachID(in: range.lowerBound.value..<range.upperBound.value) { id, range in
            body(id, UTF16Offset(range.lowerBound)..<UTF16Offset(range.upperBound))
            return true
        }
    }

    /// Calls `body` with the runs to which a rule applies, in order. O(k log n) for k of them.
    func forEachID(with rule: AttributeRules, _ body: (AttributeID, Range<Int>) -> Void) {
        tree.forEachLeaf({ $1.rules.contains(rule) ? .enter : .skip }) { leaf, before in
            var start = before.length
            for (length, id) in zip(leaf.lengths, leaf.ids) {
                if id.rules.contains(rule) { body(id, start..<start + Int(length)) }
                start += Int(length)
            }
            return true
        }
    }

    /// Calls `body` with the runs of a range, cut to the range, in order, until `body` returns false.
    func forEachID(in range: Range<Int>, _ body: (AttributeID, Range<Int>) -> Bool) {
        let range = range.clamped(to: 0..<length)
        guard !range.isEmpty else { return }
        let (low, high) = (range.lowerBound, range.upperBound)
        tree.forEachLeaf({ before, own in
            before.length >= high ? .stop : before.length + own.length > low ? .enter : .skip
        }) { leaf, before in
            var start = before.length
            for i in leaf.lengths.indices {
                if start >= high { return true }
                let end = start + Int(leaf.lengths[i])
                if end > low, !body(leaf.ids[i], max(start, low)..<min(end, high)) { return false }
                start = end
            }
            return true
        }
    }

    /// The runs of the whole text, in order. O(n).
    public var runs: [Run] {
        var all: [Run] = []
        forEachRun(in: 0..<UTF16Offset(length)) { run, _ in all.append(run) }
        return all
    }

    // MARK: Changing

    /// Returns the runs of a range, with offsets that count from the start of the range. O(log² n) at most.
    public func slice(_ range: Range<UTF16Offset>) -> AttributeRuns {
        slice(range.lowerBound.value..<range.upperBound.value)
    }

    func slice(_ range: Range<Int>) -> AttributeRuns {
        let range = range.clamped(to: 0..<length)
        guard let found = idRun(at: range.lowerBound), !range.isEmpty else { return AttributeRuns() }
        if found.range.upperBound >= range.upperBound { return AttributeRuns(length: range.count, found.id) }
        return AttributeRuns(Self.split(Self.split(tree, at: range.upperBound).0, at: range.lowerBound).1)
    }

    private static func split(_ tree: Tree, at offset: Int) -> (Tree, Tree) {
        if offset <= 0 { return (Tree(), tree) }
        if offset >= tree.summary.length { return (tree, Tree()) }
        return tree.split(where: { $0.length <= offset }) { leaf, before in
            before.length == offset ? (nil, leaf) : leaf.split(at: offset - before.length)
        }
    }

    /// Replaces the attributes of a range by those of another text. The range and that text may differ in length.
    public mutating func replace(_ range: Range<UTF16Offset>, with new: AttributeRuns) {
        replace(range.lowerBound.value..<range.upperBound.value, with: new)
    }

    mutating func replace(_ range: Range<Int>, with new: AttributeRuns) {
        let range = range.clamped(to: 0..<length)
        // If the new runs are in a single leaf, as they usually are, try first to replace the range within one leaf
        // of this tree, without splitting and joining trees.
        if new.tree.levels <= 1 {
            let leaf = new.tree.isEmpty ? nil : new.tree.leaf { _ in false }.leaf.takeUnretainedValue()
            if leaf?.ids.count ?? 0 <= 1, resizesRun(range, to: new.length, leaf?.ids[0]) { return }
            if replacesWithinLeaf(range, leaf?.runs ?? []) { return }
        }
        replace(range, withTreeOf: new)
    }

    /// Replaces a range of the text by a text of the given length with the same attributes everywhere.
    mutating func replace(_ range: Range<Int>, with length: Int, _ id: AttributeID) {
        let range = range.clamped(to: 0..<self.length)
        if resizesRun(range, to: length, length > 0 ? id : nil) { return }
        if length <= AttributeRun.longest,
            replacesWithinLeaf(range, CollectionOfOne(AttributeRun(length: length, id: id)).prefix(length))
        {
            return
        }
        replace(range, withTreeOf: AttributeRuns(length: length, id))
    }

    /// Replaces a range if it lies inside one leaf, and if that leaf has room for the new runs. The range must
    /// contain neither the first nor the last unit of the leaf. Otherwise changes nothing. Returns whether the
    /// range was replaced.
    private mutating func replacesWithinLeaf(_ range: Range<Int>, _ new: some Collection<AttributeRun>) -> Bool {
        guard length > 0 else { return false }
        let (_, sum, before) = tree.leaf { $0.length <= range.lowerBound }
        guard range.lowerBound > before.length, range.upperBound < before.length + sum.length else { return false }
        return tree.changeLeaf(where: { $0.length <= range.lowerBound }) { leaf, before in
            leaf.replace(range.lowerBound - before.length..<range.upperBound - before.length, by: new)
                ? .changed : .none
        }
    }

    private mutating func replace(_ range: Range<Int>, withTreeOf new: AttributeRuns) {
        let tail = Self.split(tree, at: range.upperBound).1
        tree = Self.split(tree, at: range.lowerBound).0
        tree.append(new.tree)
        tree.append(tail)
    }

    /// Replaces a range by making one run longer or shorter, if that is enough. The run must contain the range, and
    /// must have the attributes `wanted` of the new text; nil if the new text is empty. Otherwise changes nothing.
    /// Returns whether the range was replaced.
    private mutating func resizesRun(_ range: Range<Int>, to length: Int, _ wanted: AttributeID?) -> Bool {
        let delta = length - range.count
        // An insertion may extend either of the two runs beside it: try both.
        for place in range.isEmpty ? [range.lowerBound - 1, range.lowerBound] : [range.lowerBound] {
            guard let run = idRun(at: place), wanted == nil || wanted == run.id,
                run.range.upperBound >= range.upperBound, run.range.count + delta > 0,
                run.range.count + delta <= AttributeRun.longest
            else { continue }
            return delta == 0
                || tree.changeLeaf(where: { $0.length <= place }) { leaf, before in
                    leaf.resizeRun(at: place - before.length, by: delta)
                    return .added(AttributeRunSum(length: delta))
                }
        }
        return false
    }

    /// Appends the attributes of another text.
    public mutating func append(_ other: AttributeRuns) { tree.append(other.tree) }

    /// Applies `change` to the attributes of each run of a range. Returns whether any attributes have changed.
    mutating func update(_ range: Range<Int>, _ change: (AttributeID) -> AttributeID) -> Bool {
        var new: [(length: Int, id: AttributeID)] = []
        var isChanged = false
        var last: (old: AttributeID, new: AttributeID)?
        forEachID(in: range) { id, part in
            let result = last?.old == id ? last?.new ?? id : change(id)
            last = (id, result)
            if result != id { isChanged = true }
            new.append((part.count, result))
            return true
        }
        if isChanged { replace(range, with: AttributeRuns(new)) }
        return isChanged
    }

    /// Returns the runs cut or extended to a length. The extension has the attributes of the last run.
    func fitted(to count: Int) -> AttributeRuns {
        if length == count { return self }
        if length > count { return slice(0..<count) }
        var longer = self
        longer.append(AttributeRuns(length: count - length, length > 0 ? id(at: length - 1) : .none))
        return longer
    }

    /// Approximate memory use in bytes, including leaves shared with other values. Runs beyond the first few
    /// thousand are not counted.
    package var cost: Int {
        var count = 0
        tree.forEachLeaf { leaf, _ in
            count += leaf.ids.count
            return count < 1 << 12
        }
        return count > 0 ? 64 + count * 12 : 0
    }

    /// Whether both values share one tree, so that they are certainly equal.
    func isIdentical(to other: AttributeRuns) -> Bool { tree.isIdentical(to: other.tree) }

    /// Returns the violated invariants of the tree, in words; empty if there are none. O(n).
    package func checkInvariants() -> [String] {
        var problems: [String] = []
        var last: AttributeRun?
        tree.check(&problems) { leaf, sum, problems in
            leaf.check(sum, &problems)
            for run in leaf.runs {
                if let last, last.joins(run) { problems.append("equal neighbours \(last)") }
                last = run
            }
        }
        return problems
    }
}

extension AttributeRuns: Equatable {
    /// Whether both values have the same runs. O(n), or O(1) for copies.
    public static func == (a: Self, b: Self) -> Bool {
        if a.isIdentical(to: b) { return true }
        guard a.length == b.length else { return false }
        var rest = b.idList[...]
        var isEqual = true
        a.forEachID(in: 0..<a.length) { id, range in
            guard let first = rest.popFirst(), first.id == id, first.length == range.count else {
                isEqual = false
                return false
            }
            return true
        }
        return isEqual
    }

    /// The runs with the shared references to their attributes, in order. O(n).
    var idList: [(length: Int, id: AttributeID)] {
        var all: [(length: Int, id: AttributeID)] = []
        forEachID(in: 0..<length) { id, range in
            all.append((range.count, id))
            return true
        }
        return all
    }
}

extension AttributeRuns {
    /// Creates runs with the given lengths in UTF-16 units and attributes, in order. Equal neighbours are merged. O(n).
    package init(_ runs: [(length: Int, attributes: TextAttributes)]) {
        self.init(runs.lazy.map { ($0.length, AttributeTable.id(of: $0.attributes)) })
    }
}
