import InkstoneBase
import InkstoneBus

/// The interfaces of objects that hold text.
extension AccessibleServer {
    /// The largest number of bytes of text in one answer. A call for more is answered with an error.
    package static let longestAnswer = 4 << 20

    /// Returns the text unit that a call asks for. `number` is a granularity for `GetStringAtOffset` and a boundary
    /// type for the older methods. Nil for other methods and numbers.
    private static func unit(
        _ member: String, _ number: Int
    ) -> (unit: AccessibleText.Unit, neighbour: AccessibleText.Neighbour)? {
        let granularities: [AccessibleText.Unit] = [.character, .wordStart, .sentenceStart, .lineStart, .paragraph]
        let boundaries: [AccessibleText.Unit] = [
            .character, .wordStart, .wordEnd, .sentenceStart, .sentenceEnd, .lineStart, .lineEnd,
        ]
        let units = member == "GetStringAtOffset" ? granularities : boundaries
        guard units.indices.contains(number) else { return nil }
        switch member {
        case "GetStringAtOffset", "GetTextAtOffset": return (units[number], .at)
        case "GetTextBeforeOffset": return (units[number], .before)
        case "GetTextAfterOffset": return (units[number], .after)
        default: return nil
        }
    }

    /// Whether the text that a call asks for has more than ``longestAnswer`` bytes. The bytes are counted without
    /// copying the text.
    func isTooLong(_ member: String, _ body: [BusValue], _ node: AccessibleNode) -> Bool {
        guard body.count == 2, let first = body[0].integer, let second = body[1].integer,
            let text = node.text?.current
        else { return false }
        if member == "GetText" { return text.byteCount(from: first, to: second) > Self.longestAnswer }
        guard let wanted = Self.unit(member, second) else { return false }
        let range = text.range(of: wanted.unit, at: first, wanted.neighbour)
        return text.byteCount(from: range.lowerBound, to: range.upperBound) > Self.longestAnswer
    }

    /// Answers a call of the interface `Text`; nil if the interface has no such method with such arguments.
    func text(_ member: String, _ body: [BusValue], _ text: AccessibleText, _ node: AccessibleNode) -> [BusValue]? {
        let integers = body.map(\.integer)
        func number(_ index: Int) -> Int { index < integers.count ? integers[index] ?? 0 : 0 }
        switch (member, body.signature) {
        case ("GetText", "ii"): return [.text(text.text(from: number(0), to: number(1)))]
        case ("GetCharacterAtOffset", "i"):
            return [.int32(Int32(bitPattern: text.character(at: number(0))?.value ?? 0))]
        case ("GetStringAtOffset", "iu"), ("GetTextAtOffset", "iu"), ("GetTextBeforeOffset", "iu"),
            ("GetTextAfterOffset", "iu"):
            guard let wanted = Self.unit(member, number(1)) else { return nil }
            return Self.values(text.unit(wanted.unit, at: number(0), wanted.neighbour))
        case ("SetCaretOffset", "i"):
            text.setCaret(number(0))
            return [.boolean(true)]
        case ("GetNSelections", ""): return [.int32(Int32(clamping: text.selections.count))]
        case ("GetSelection", "i"):
            let selections = text.selections
            let range = selections.indices.contains(number(0)) ? selections[number(0)] : 0..<0
            return Self.values(range)
        case ("AddSelection", "ii"): return [.boolean(text.addSelection(from: number(0), to: number(1)))]
        case ("RemoveSelection", "i"): return [.boolean(text.removeSelection(number(0)))]
        case ("SetSelection", "iii"):
            return [.boolean(text.setSelection(number(0), from: number(1), to: number(2)))]
        case ("GetCharacterExtents", "iu"):
            return Self.integers(text.extents(at: number(0)), from: origin(UInt32(number(1)), of: node))
        case ("GetRangeExtents", "iiu"):
            let rect = text.extents(from: number(0), to: number(1))
            return Self.integers(rect, from: origin(UInt32(number(2)), of: node))
        case ("GetOffsetAtPoint", "iiu"):
            return point(body, of: node).map { [.int32(Int32(clamping: text.offset(at: $0)))] }
        case ("GetBoundedRanges", "iiiiuuu"):
            let corner = origin(UInt32(number(4)), of: node)
            let rect = RootRect(
                x: Double(number(0)) + corner.x, y: Double(number(1)) + corner.y, width: Double(max(0, number(2))),
                height: Double(max(0, number(3))))
            let ranges = text.ranges(in: rect).map { range in
                BusValue.structure(
                    Self.values(range) + [
                        .text(text.text(from: range.lowerBound, to: range.upperBound)), .variant(.string("")),
                    ])
            }
            return [.array(.structure([.int32, .int32, .string, .variant]), ranges)]
        case ("GetAttributes", "i"): return Self.values(text.attributes(at: number(0), includingDefaults: false))
        case ("GetAttributeRun", "ib"):
            return Self.values(text.attributes(at: number(0), includingDefaults: body[1] == .boolean(true)))
        case ("GetAttributeValue", "is"):
            guard case .string(let name) = body[1] else { return nil }
            return [.text(text.attributes(at: number(0), includingDefaults: true).names[name] ?? "")]
        case ("GetDefaultAttributes", ""), ("GetDefaultAttributeSet", ""):
            return [Self.dictionary(text.defaultAttributes)]
        case ("ScrollSubstringTo", "iiu"): return [.boolean(text.scroll(from: number(0), to: number(1)))]
        case ("ScrollSubstringToPoint", "iiuii"): return [.boolean(text.scroll(from: number(0), to: number(1)))]
        default: return nil
        }
    }

    private static func values(_ range: Range<Int>) -> [BusValue] {
        [.int32(Int32(clamping: range.lowerBound)), .int32(Int32(clamping: range.upperBound))]
    }

    private static func values(_ unit: (text: String, range: Range<Int>)) -> [BusValue] {
        [.text(unit.text)] + values(unit.range)
    }

    private static func values(_ run: (names: [String: String], range: Range<Int>)) -> [BusValue] {
        [dictionary(run.names)] + values(run.range)
    }

    /// Makes an edit that a call of the interface `EditableText` requests, and returns the answer; nil if the interface
    /// has no such method with such arguments.
    static func edit(_ member: String, _ body: [BusValue], _ text: AccessibleText) -> [BusValue]? {
        let integers = body.map(\.integer)
        func number(_ index: Int) -> Int { index < integers.count ? integers[index] ?? 0 : 0 }
        switch (member, body.signature) {
        case ("SetTextContents", "s"):
            guard case .string(let new) = body[0] else { return nil }
            return [.boolean(text.setContents(new))]
        case ("InsertText", "isi"):
            guard case .string(let new) = body[1] else { return nil }
            return [.boolean(text.insert(new, at: number(0), length: number(2)))]
        case ("DeleteText", "ii"): return [.boolean(text.delete(from: number(0), to: number(1)))]
        case ("CopyText", "ii"):
            text.copy(from: number(0), to: number(1))
            return []
        case ("CutText", "ii"): return [.boolean(text.cut(from: number(0), to: number(1)))]
        case ("PasteText", "i"): return [.boolean(text.paste(at: number(0)))]
        default: return nil
        }
    }
}

extension BusValue {
    /// The value of an `int32` or `uint32`, the integer types that AT-SPI uses; nil for other values.
    fileprivate var integer: Int? {
        switch self {
        case .int32(let number): Int(number)
        case .uint32(let number): Int(number)
        default: nil
        }
    }
}
