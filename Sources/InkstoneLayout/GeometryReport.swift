import InkstoneBase
import InkstoneText

/// The geometry of a laid-out text as one JSON object, printed by `inkstone layout`.
///
/// Its members are `lines` (`range`, `frame`, `baseline`, and `runs` with `range`, `direction`, `font`, `x`,
/// `width`), `carets` (`offset`, `affinity`, `rect`) and `selection` (`rect`, `direction`, `containsStart`,
/// `containsEnd`). Ranges are UTF-16 units `[start, end]`; rectangles are `[x, y, width, height]` in pixels of the
/// document.
package struct GeometryReport {
    private var json = ""

    /// The report as JSON text: one line for each line of the document, each caret and each selection rectangle.
    package var text: String { json }

    /// Creates the report of a whole text, all of which is laid out. `selection` adds the rectangles of a range.
    /// `carets` adds the carets at each grapheme boundary: one caret, or two where upstream and downstream affinity
    /// show it at different positions. O(n).
    package init(_ layout: TextLayoutManager, selection: Range<UTF16Offset>? = nil, carets: Bool = false) {
        json = "{\n\"lines\": ["
        var separator = "\n"
        layout.document.forEachPlaced(in: Self.everything) { placed in
            for line in layout.document.layoutFragment(placed).textLineFragments {
                json += separator + Self.line(line, placed.x, layout)
                separator = ",\n"
            }
        }
        json += "\n]"
        if carets { json += ",\n\"carets\": [\n" + Self.carets(layout).joined(separator: ",\n") + "\n]" }
        if let selection {
            let rects = layout.geometry.selectionRects(for: selection, within: Self.everything).map { segment in
                "{\"rect\": \(Self.rect(segment.rect)), \"direction\": \"\(segment.isRightToLeft ? "rtl" : "ltr")\", "
                    + "\"containsStart\": \(segment.containsStart), \"containsEnd\": \(segment.containsEnd)}"
            }
            json += ",\n\"selection\": [\n" + rects.joined(separator: ",\n") + "\n]"
        }
        json += "\n}\n"
    }

    private static func line(_ line: TextLineFragment, _ shift: Double, _ layout: TextLayoutManager) -> String {
        let positioned = line.fragment.line(line.index, layout.document.tools)
        let runs = positioned.runs.map { run in
            let face = layout.document.tools.context.faces[Int(run.face)]
            let start = line.fragmentStart + Int(run.start)
            let end = line.fragmentStart + Int(run.end)
            let font = FontTable.pattern(for: face.id)
            return "{\"range\": [\(start), \(end)], \"direction\": \"\(run.level & 1 == 1 ? "rtl" : "ltr")\", "
                + "\"font\": \(quoted(font)), \"x\": \(number(shift + Double(run.left) / 64)), "
                + "\"width\": \(number(Double(run.width) / 64))}"
        }
        return "{\"range\": \(range(line.utf16Range)), \"frame\": \(rect(line.typographicBounds)), "
            + "\"baseline\": \(number(line.baseline)), \"runs\": [\(runs.joined(separator: ", "))]}"
    }

    private static func carets(_ layout: TextLayoutManager) -> [String] {
        var found: [String] = []
        // Fragments know their grapheme clusters; searching the text for each next cluster would be much slower.
        layout.document.forEachPlaced(in: everything) { placed in
            for unit in 0...placed.fragment.contentLength {
                let isEnd = unit == placed.fragment.contentLength
                guard isEnd ? placed.fragment.endsParagraph : placed.fragment.isGrapheme(unit, layout.document.tools)
                else { continue }
                let offset = UTF16Offset(placed.start + unit)
                let down = layout.geometry.caretRect(at: offset, affinity: .downstream)
                let up = layout.geometry.caretRect(at: offset, affinity: .upstream)
                if up != down { found.append(caret(offset, "upstream", up)) }
                found.append(caret(offset, "downstream", down))
            }
        }
        return found
    }

    private static let everything = DocumentRect(x: -1e15, y: 0, width: 2e15, height: 1e15)

    private static func caret(_ offset: UTF16Offset, _ affinity: String, _ place: DocumentRect) -> String {
        "{\"offset\": \(offset), \"affinity\": \"\(affinity)\", \"rect\": \(rect(place))}"
    }

    private static func range(_ range: Range<UTF16Offset>) -> String { "[\(range.lowerBound), \(range.upperBound)]" }

    private static func rect(_ r: DocumentRect) -> String {
        "[\(number(r.minX)), \(number(r.minY)), \(number(r.width)), \(number(r.height))]"
    }

    /// Formats whole numbers without a decimal point.
    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
    }

    private static func quoted(_ string: String) -> String {
        var out = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }
}
