/// What layout knows about one paragraph, one segment of a long paragraph, or a stretch that nobody has looked at.
struct Piece {
    /// UTF-16 units with terminators; the end of the document counts as a terminator of one unit.
    var units: Int
    /// Paragraphs that end in it: 0 or 1 if laid out.
    var paragraphs: Int
    /// Height in pixels; of no meaning for a gap.
    var height: Float
    /// Whether it is a stretch of which only lengths are known.
    var isGap: Bool
    /// What was laid out, as long as it is kept.
    var layout: LaidPiece?
    /// Width in pixels of a segment that stands beside others on one line; 0 for all else.
    var width: Float = 0
}

/// The lengths of a row of pieces.
struct PieceSum {
    var units = 0
    var paragraphs = 0
    /// Height of what was laid out, in pixels.
    var height = 0.0
    /// Width of segments that stand beside each other, in pixels.
    var width = 0.0
    /// What lies in gaps, for estimates.
    var gapUnits = 0
    var gapParagraphs = 0

    init() {}

    init(_ piece: Piece) { add(piece) }

    @inline(__always)
    mutating func add(_ piece: borrowing Piece) {
        units += piece.units
        paragraphs += piece.paragraphs
        if piece.isGap {
            gapUnits += piece.units
            gapParagraphs += piece.paragraphs
        } else {
            height += Double(piece.height)
            width += Double(piece.width)
        }
    }

    @inline(__always)
    static func += (a: inout Self, b: Self) {
        a.units += b.units
        a.paragraphs += b.paragraphs
        a.height += b.height
        a.width += b.width
        a.gapUnits += b.gapUnits
        a.gapParagraphs += b.gapParagraphs
    }
}

/// Guesses the height of text that was not laid out: linear, so that cutting a gap in two changes no total.
struct HeightEstimate {
    /// Pixels for each paragraph, and for each UTF-16 unit beside.
    var perParagraph: Double
    var perUnit: Double
    /// Width of a UTF-16 unit in pixels, for paragraphs on one line.
    var advance = 8.0

    /// Distance along a line that goes on and on, in pixels; only differences within one paragraph mean anything.
    func width(of sum: PieceSum) -> Double { sum.width + Double(sum.gapUnits) * advance }

    func height(of sum: PieceSum) -> Double {
        sum.height + Double(sum.gapParagraphs) * perParagraph + Double(sum.gapUnits) * perUnit
    }
}

/// All pieces of a document in order, as a B+-tree that sums units, paragraphs and heights.
///
/// Never empty. Finding and replacing cost O(log n) for n pieces; memory grows with what was laid out, not with the
/// document.
final class PieceTree {
    private static let fanOut = 64

    private final class Node {
        var sum = PieceSum()
        var pieces: [Piece] = []
        var children: [Node] = []
        var isLeaf: Bool { children.isEmpty }

        init(pieces: [Piece]) {
            self.pieces = pieces
            add()
        }

        init(children: [Node]) {
            self.children = children
            add()
        }

        func add() {
            var all = PieceSum()
            pieces.withUnsafeBufferPointer { for i in 0..<$0.count { all.add($0[i]) } }
            children.withUnsafeBufferPointer { for i in 0..<$0.count { all += $0[i].sum } }
            sum = all
        }
    }

    private var root: Node
    /// Grows with each replacement.
    var changes = 0

    /// A document of which only the lengths are known.
    init(units: Int, paragraphs: Int) {
        root = Node(pieces: [Piece(units: units, paragraphs: paragraphs, height: 0, isGap: true, layout: nil)])
    }

    /// Lengths of the whole document.
    var total: PieceSum { root.sum }

    /// The piece that holds a unit, and the lengths before it. Units beyond the end are in the last piece.
    func piece(at unit: Int) -> (piece: Piece, before: PieceSum) {
        find { $0.units <= unit }
    }

    /// The piece at a height in pixels, and the lengths before it; heights beyond an end are in the piece there.
    func piece(atY y: Double, _ estimate: HeightEstimate) -> (piece: Piece, before: PieceSum) {
        find { estimate.height(of: $0) <= y }
    }

    /// The piece at a distance along lines that are segments side by side.
    func piece(atWidth x: Double, _ estimate: HeightEstimate) -> (piece: Piece, before: PieceSum) {
        find { estimate.width(of: $0) <= x }
    }

    /// The first piece whose end does not satisfy `isBefore`, or the last one.
    @inline(__always)
    private func find(_ isBefore: (PieceSum) -> Bool) -> (piece: Piece, before: PieceSum) {
        var node = root
        var before = PieceSum()
        while !node.isLeaf {
            node = node.children.withUnsafeBufferPointer { children in
                for i in 0..<(children.count - 1) {
                    var after = before
                    after += children[i].sum
                    if !isBefore(after) { return children[i] }
                    before = after
                }
                return children[children.count - 1]
            }
        }
        return node.pieces.withUnsafeBufferPointer { pieces in
            for i in 0..<(pieces.count - 1) {
                var after = before
                after.add(pieces[i])
                if !isBefore(after) { return (pieces[i], before) }
                before = after
            }
            return (pieces[pieces.count - 1], before)
        }
    }

    /// Replaces the pieces that make up `range` exactly. Traps if the range does not start and end between pieces.
    func replace(_ range: Range<Int>, with pieces: [Piece]) {
        precondition(!range.isEmpty && range.upperBound <= total.units, "a range of whole pieces")
        changes += 1
        var nodes = replace(root, range.lowerBound, range.upperBound, pieces)
        while nodes.count > 1 { nodes = Self.group(nodes) }
        root = nodes.first ?? Node(pieces: [])
        while root.children.count == 1 { root = root.children[0] }
        precondition(!root.pieces.isEmpty || !root.children.isEmpty, "a document has at least one piece")
    }

    private func replace(_ node: Node, _ low: Int, _ high: Int, _ new: [Piece]) -> [Node] {
        var pending = new
        if node.isLeaf {
            var at = 0
            var first = node.pieces.count
            var last = node.pieces.count
            for (i, piece) in node.pieces.enumerated() {
                if at >= low, first == node.pieces.count { first = i }
                at += piece.units
                if at >= high {
                    last = i + 1
                    break
                }
            }
            precondition(at >= high || high > node.sum.units, "the range ends inside a piece")
            node.pieces.replaceSubrange(min(first, last)..<last, with: pending)
            return Self.split(node)
        }
        // Only what the range touches is looked into, and only there may nodes have become small.
        var (first, last) = (0, 0)
        var at = 0
        var start = 0
        node.children.withUnsafeBufferPointer { children in
            while first < children.count, at + children[first].sum.units <= low {
                at += children[first].sum.units
                first += 1
            }
            (last, start) = (first, at)
            while last < children.count, at < high {
                at += children[last].sum.units
                last += 1
            }
        }
        var parts: [Node] = []
        at = start
        for child in node.children[first..<last] {
            let end = at + child.sum.units
            // Nothing stays of one that lies within the range.
            if at < low || end > high || !pending.isEmpty {
                parts += replace(child, max(low - at, 0), min(high, end) - at, pending)
                pending = []
            }
            at = end
        }
        node.children.replaceSubrange(first..<last, with: parts)
        Self.join(&node.children, max(0, first - 1)..<(first + parts.count))
        return Self.split(node)
    }

    /// A node as one or more of bearable size; none if it is empty.
    private static func split(_ node: Node) -> [Node] {
        if node.isLeaf || !node.pieces.isEmpty {
            if node.pieces.isEmpty { return [] }
            if node.pieces.count <= fanOut {
                node.add()
                return [node]
            }
            return chunks(node.pieces.count).map { Node(pieces: Array(node.pieces[$0])) }
        }
        if node.children.count <= fanOut {
            node.add()
            return [node]
        }
        return chunks(node.children.count).map { Node(children: Array(node.children[$0])) }
    }

    /// Joins each of some children with the next as long as both together are small.
    private static func join(_ children: inout [Node], _ range: Range<Int>) {
        var i = range.lowerBound
        var end = range.upperBound
        while i < end, i + 1 < children.count {
            let a = children[i]
            let b = children[i + 1]
            let small = fanOut / 2
            if a.isLeaf, b.isLeaf, a.pieces.count + b.pieces.count <= small {
                a.pieces += b.pieces
            } else if !a.isLeaf, !b.isLeaf, a.children.count + b.children.count <= small {
                a.children += b.children
            } else {
                i += 1
                continue
            }
            a.add()
            children.remove(at: i + 1)
            end -= 1
        }
    }

    private static func group(_ nodes: [Node]) -> [Node] {
        chunks(nodes.count).map { Node(children: Array(nodes[$0])) }
    }

    /// Ranges of even size, none above the fan-out.
    private static func chunks(_ count: Int) -> [Range<Int>] {
        let parts = (count + fanOut - 1) / fanOut
        return (0..<parts).map { count * $0 / parts..<count * ($0 + 1) / parts }
    }

    /// Levels, and nodes on the lowest.
    var shape: (levels: Int, leaves: Int) {
        func visit(_ node: Node) -> (levels: Int, leaves: Int) {
            node.isLeaf ? (1, 1) : node.children.map(visit).reduce((1, 0)) { (max($0.0, $1.0 + 1), $0.1 + $1.1) }
        }
        return visit(root)
    }

    /// Forgets the lines of pieces, not their heights. O(n) for n pieces.
    func dropLayouts(_ isDropped: (LaidPiece) -> Bool) {
        func visit(_ node: Node) {
            for i in node.pieces.indices {
                if let layout = node.pieces[i].layout, isDropped(layout) { node.pieces[i].layout = nil }
            }
            for child in node.children { visit(child) }
        }
        visit(root)
    }

    /// Forgets the lines of the piece that holds a unit.
    func dropLayout(at unit: Int) {
        var node = root
        var at = unit
        while !node.isLeaf {
            var next = node.children.count - 1
            for (i, child) in node.children.dropLast().enumerated() {
                if at < child.sum.units {
                    next = i
                    break
                }
                at -= child.sum.units
            }
            node = node.children[next]
        }
        for i in node.pieces.indices {
            if at < node.pieces[i].units {
                node.pieces[i].layout = nil
                return
            }
            at -= node.pieces[i].units
        }
    }

    /// The unit that the first gap starts at; nil if there is none. O(log n).
    func firstGap() -> Int? {
        var node = root
        var at = 0
        guard node.sum.gapUnits > 0 else { return nil }
        while !node.isLeaf {
            for child in node.children {
                if child.sum.gapUnits > 0 {
                    node = child
                    break
                }
                at += child.sum.units
            }
        }
        for piece in node.pieces {
            if piece.isGap { return at }
            at += piece.units
        }
        return nil
    }
}
