import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// The explicit bidi controls that a text opens and does not close (UAX #9, X1–X8). Prepended to the text that
/// follows, they give that text the same levels as the whole preceding text would.
struct ExplicitControls {
    private typealias Class = BidiClasses.Class

    private var open: [UInt16] = []
    /// Indices in `open` of the isolate controls.
    private var isolates: [Int] = []

    /// Returns the controls that a range opens and does not close. A first-strong isolate in which a strong letter
    /// was found is returned as a left-to-right or right-to-left isolate. O(n), O(log n) for ASCII.
    ///
    /// Returns at most ``limit`` controls, which is more than there are levels. Further ones are counted only to
    /// match their closing controls.
    static func open(_ text: Rope, _ range: Range<Int>) -> [UInt16] {
        if range.isEmpty || ParagraphLevels.isASCII(text, range) { return [] }
        var controls = ExplicitControls()
        var at = range.lowerBound
        while at < range.upperBound {
            let units = text.utf16(
                in: UTF16Offset(at)..<UTF16Offset(text.scalarBoundary(min(at + 1 << 15, range.upperBound))))
            units.withUnsafeBufferPointer { controls.take($0) }
            at += units.count
        }
        return Array(controls.open.prefix(limit))
    }

    /// The largest number of controls that are returned: the outermost ones.
    private static let limit = 1 << 12
    /// The control U+2068, whose isolate has the direction of its first strong letter.
    private static let firstStrongIsolate: UInt16 = 0x2068

    private mutating func take(_ units: UnsafeBufferPointer<UInt16>) {
        var index = 0
        while index < units.count {
            let (entry, length) = BidiClasses.entry(units, index)
            let kind = entry & BidiClasses.classBits
            if BidiClasses.isLetter(kind) {
                if let isolate = isolates.last, open[isolate] == Self.firstStrongIsolate {
                    open[isolate] = kind == BidiClasses.left ? 0x2066 : 0x2067
                }
            } else if BidiClasses.isControl(kind) {
                take(units[index], kind)
            }
            index += length
        }
    }

    private mutating func take(_ unit: UInt16, _ kind: Class) {
        switch kind {
        case BidiClasses.popEmbedding:
            if open.count > (isolates.last.map { $0 + 1 } ?? 0) { open.removeLast() }
        case BidiClasses.popIsolate:
            if let isolate = isolates.popLast() { open.removeSubrange(isolate...) }
        case BidiClasses.block: self = ExplicitControls()
        case BidiClasses.firstStrongIsolate, BidiClasses.leftIsolate, BidiClasses.rightIsolate:
            isolates.append(open.count)
            open.append(unit)
        default: open.append(unit)
        }
    }
}
