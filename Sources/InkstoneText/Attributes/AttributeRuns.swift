import InkstoneBase

/// Attributes of a text as runs of equal value, in a tree keyed by lengths: an edit moves all that follow at no cost.
///
/// A value: copies share what they have in common. Lengths and offsets are UTF-16 units. `Value` says what a run has:
/// what rich text stores, or what only rendering knows (spelling marks, matches), which is best kept in a tree of its own.
///
/// **Invariants**: runs are not empty, and no two neighbours are equal; all leaves have the same depth; a leaf has at most
/// 32 runs, a node at most 32 children. **Complexity**, n being the number of runs: looking up, setting a range and an
/// edit O(log n + k) for k runs touched; copies O(1). Offsets are clamped.
public struct AttributeRuns<Value: Equatable & Sendable>: Sendable {
    /// A stretch of the text with one value.
    public struct Run: Equatable, Sendable {
        /// Where it is, in UTF-16 units.
        public var range: Range<UTF16Offset>
        /// What it has.
        public var value: Value
    }

    private var tree: RunTree<Value>?

    private init(_ tree: RunTree<Value>?) { self.tree = tree }

    /// Attributes of a text of a length, the same everywhere.
    public init(length: Int = 0, value: Value) {
        tree = length > 0 ? RunTree(runs: [.init(length: length, value: value)]) : nil
    }

    /// Length of the text, in UTF-16 units.
    public var length: Int { tree?.length ?? 0 }

    /// Number of runs. O(n).
    public var runCount: Int { tree?.runCount ?? 0 }

    /// The run that holds a unit; the last one at the end of the text, nil in an empty text.
    public func run(at offset: UTF16Offset) -> Run? {
        guard let tree else { return nil }
        let found = tree.find(min(max(0, offset.value), tree.length - 1))
        return Run(
            range: UTF16Offset(found.start)..<UTF16Offset(found.start + found.run.length), value: found.run.value)
    }

    /// Calls `body` with the runs of a range, cut to it, in order; setting the second argument stops.
    public func forEachRun(in range: Range<UTF16Offset>, _ body: (Run, inout Bool) -> Void) {
        var at = range.clamped(into: 0..<UTF16Offset(length))
        var stop = false
        while !at.isEmpty, !stop, let run = run(at: at.lowerBound) {
            let end = min(run.range.upperBound, at.upperBound)
            body(Run(range: at.lowerBound..<end, value: run.value), &stop)
            at = end..<at.upperBound
        }
    }

    /// All runs in order. O(n).
    public var runs: [Run] {
        var all: [Run] = []
        forEachRun(in: 0..<UTF16Offset(length)) { run, _ in all.append(run) }
        return all
    }

    /// Gives a range one value.
    public mutating func set(_ value: Value, in range: Range<UTF16Offset>) {
        let range = range.clamped(into: 0..<UTF16Offset(length))
        replace(range, with: AttributeRuns(length: range.length(), value: value))
    }

    /// Changes the values of a range, run by run.
    public mutating func update(in range: Range<UTF16Offset>, _ change: (inout Value) -> Void) {
        let range = range.clamped(into: 0..<UTF16Offset(length))
        var new = AttributeRuns(nil)
        forEachRun(in: range) { run, _ in
            var value = run.value
            change(&value)
            new.append(AttributeRuns(length: run.range.length(), value: value))
        }
        replace(range, with: new)
    }

    /// The attributes of a range.
    public func slice(_ range: Range<UTF16Offset>) -> AttributeRuns {
        let range = range.clamped(into: 0..<UTF16Offset(length))
        let head = RunTree.split(tree, at: range.upperBound.value).0
        return AttributeRuns(RunTree.split(head, at: range.lowerBound.value).1)
    }

    /// Replaces a range by attributes of a text that takes its place, of any length.
    public mutating func replace(_ range: Range<UTF16Offset>, with new: AttributeRuns) {
        let range = range.clamped(into: 0..<UTF16Offset(length))
        let head = RunTree.split(tree, at: range.lowerBound.value).0
        let tail = RunTree.split(tree, at: range.upperBound.value).1
        tree = RunTree.join(RunTree.join(head, new.tree), tail)
    }

    /// Adds attributes of a text that comes behind.
    public mutating func append(_ other: AttributeRuns) { tree = RunTree.join(tree, other.tree) }

    /// Follows an edit of the text: what was inserted gets the value that `inherit` makes of the runs on either side, nil
    /// where there is none. Typed text commonly takes after what stands before it.
    public mutating func apply(_ edit: TextEdit, inherit: (_ before: Value?, _ after: Value?) -> Value) {
        let range = edit.utf16Range
        let inserted = edit.inserted.metrics.utf16
        guard inserted > 0 else { return replace(range, with: AttributeRuns(nil)) }
        let before = range.lowerBound > 0 ? run(at: range.lowerBound - 1)?.value : nil
        let after = range.upperBound.value < length ? run(at: range.upperBound)?.value : nil
        replace(range, with: AttributeRuns(length: inserted, value: inherit(before, after)))
    }

    /// What is wrong with the tree, in words; empty if nothing is. O(n).
    package func checkInvariants() -> [String] {
        var problems: [String] = []
        let values = runs
        for i in values.indices.dropFirst() where values[i].value == values[i - 1].value {
            problems.append("runs \(i - 1) and \(i) are equal")
        }
        _ = tree?.check(&problems)
        return problems
    }
}

extension AttributeRuns: Equatable {
    /// Whether both have the same runs. O(n).
    public static func == (a: Self, b: Self) -> Bool { a.runs == b.runs }
}
