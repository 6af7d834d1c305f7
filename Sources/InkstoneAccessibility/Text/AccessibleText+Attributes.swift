import InkstoneBase
import InkstoneEditing
import InkstoneLayout
import InkstoneText
import InkstoneView

/// Text attributes under the names that assistive technology knows. These are ATK's names, and `composition` for
/// marked text.
extension AccessibleText {
    /// The default attributes by name, made from the view's font, theme and direction. They apply wherever the text
    /// has no attribute of the same name.
    package var defaultAttributes: [String: String] {
        let font = view.layout.font
        var result = [
            "family-name": font.family, "size": Self.text(of: points(font.size)),
            "weight": String(Self.weight(font.weight ?? 80)), "style": Self.style(font.slant ?? .roman),
            "underline": "none", "strikethrough": "false", "editable": String(isEditable), "invisible": "false",
            "fg-color": Self.text(of: view.theme.text), "bg-color": Self.text(of: view.theme.background),
            "justification": "left", "indent": "0", "left-margin": "0", "right-margin": "0",
            "direction": view.geometry.isParagraphRightToLeft(at: 0) ? "rtl" : "ltr",
        ]
        if let language = font.language { result["language"] = language }
        return result
    }

    /// Returns the attributes at an offset that differ from the defaults, and a range around the offset in which
    /// they are the same. The range is empty if the offset is outside the text. A secure text has no such
    /// attributes, and the range is all of it.
    ///
    /// - Parameter defaults: whether the result includes the default attributes too.
    package func attributes(at offset: Int, includingDefaults defaults: Bool) -> (
        names: [String: String], range: Range<Int>
    ) {
        let base = defaults ? defaultAttributes : [:]
        guard offset >= 0, offset < count, !isSecure else { return (base, isSecure ? 0..<count : count..<count) }
        let unit = utf16(offset)
        var range = text.utf16Range
        var found: [String: String] = [:]
        let styled = view.state.styledText
        if let run = styled.runs?.run(at: unit) {
            range = run.range.clamped(into: range)
            found = names(of: run.attributes)
            if let item = run.attributes[ListAttribute.self] {
                // List items with equal attributes are one run, but each item has a number of its own. So narrow the
                // range to the paragraph.
                range = view.geometry.paragraphRange(at: CaretPlace(unit)).clamped(into: range)
                if let marker = marker(of: item, at: unit) { found["list-item-marker"] = marker }
            }
        }
        func narrow(_ other: Range<UTF16Offset>, _ names: [String: String]) {
            if other.contains(unit) {
                range = other.clamped(into: range)
                found.merge(names) { $1 }
            } else if other.upperBound <= unit {
                range = max(range.lowerBound, other.upperBound)..<range.upperBound
            } else {
                range = range.lowerBound..<min(range.upperBound, other.lowerBound)
            }
        }
        if let marked = view.markedText?.range, !marked.isEmpty {
            narrow(marked, ["composition": "true", "underline": "single"])
        }
        let spelling = view.decorations(in: .spelling)
        if !spelling.isEmpty {
            // There may be many misspelled ranges: search for them only near the offset. The returned range may end
            // where this search ends, even if the attributes continue.
            let near = UTF16Offset(max(0, unit.value - 4096))..<UTF16Offset(min(text.metrics.utf16, unit.value + 4096))
            range = range.clamped(into: near)
            for run in spelling.runs(in: near) { narrow(run.range, ["invalid": "spelling", "underline": "error"]) }
        }
        return (base.merging(found) { $1 }, scalars(range))
    }

    /// Returns the marker displayed before a list item's paragraph, such as `1.`; nil if there is none. Markers are
    /// not part of the document's text.
    private func marker(of item: ListItem, at unit: UTF16Offset) -> String? {
        let start = view.geometry.paragraphRange(at: CaretPlace(unit)).lowerBound
        guard let list = item.list, let number = view.layout.textLayoutFragment(for: start).itemNumber else {
            return nil
        }
        return list.plainMarker(number: number, isChecked: item.isChecked)
    }

    private func names(of attributes: TextAttributes) -> [String: String] {
        var names = names(ofRoles: attributes)
        if let family = attributes[FontFamilyAttribute.self] { names["family-name"] = family }
        if let size = attributes[FontSizeAttribute.self] {
            names["size"] = Self.text(of: points(size * view.layout.attributeScale))
        }
        if let weight = attributes[FontWeightAttribute.self] { names["weight"] = String(Self.weight(weight)) }
        if let slant = attributes[FontSlantAttribute.self] { names["style"] = Self.style(slant) }
        if let language = attributes[LanguageAttribute.self] { names["language"] = language }
        if let color = attributes[ForegroundAttribute.self] { names["fg-color"] = Self.text(of: color) }
        if let color = attributes[BackgroundAttribute.self] { names["bg-color"] = Self.text(of: color) }
        if let line = attributes[UnderlineAttribute.self] {
            names["underline"] = line == .double ? "double" : line == .wavy ? "error" : "single"
        }
        if attributes[StrikethroughAttribute.self] != nil { names["strikethrough"] = "true" }
        if let rise = attributes[BaselineOffsetAttribute.self] { names["rise"] = Self.text(of: rise) }
        return names
    }

    /// Returns the attributes that stand for inline and paragraph roles. The values of `paragraph-style` are
    /// LibreOffice's style names, which screen readers know.
    private func names(ofRoles attributes: TextAttributes) -> [String: String] {
        var names: [String: String] = [:]
        if let roles = attributes[InlinePresentationIntentAttribute.self] {
            if roles.contains(.stronglyEmphasized) { names["weight"] = "700" }
            if roles.contains(.emphasized) { names["style"] = "italic" }
            if roles.contains(.strikethrough) { names["strikethrough"] = "true" }
        }
        var lists = 0
        var isOrdered = false
        for block in attributes[PresentationIntentAttribute.self]?.components.reversed() ?? [] {
            switch block.kind {
            case .header(let level): (names["paragraph-style"], names["level"]) = ("Heading \(level)", "\(level)")
            case .codeBlock: names["paragraph-style"] = "Preformatted Text"
            case .blockQuote: names["paragraph-style"] = "Quotations"
            case .orderedList, .unorderedList:
                lists += 1
                isOrdered = block.kind == .orderedList
                names["paragraph-style"] = "List \(lists)"
            case .listItem(let ordinal, let isDone):
                let marker = isOrdered ? "\(ordinal)." : "-"
                names["list-item-marker"] = isDone.map { $0 ? "[x]" : "[ ]" } ?? marker
            default: break
            }
        }
        if let item = attributes[ListAttribute.self] { names["paragraph-style"] = "List \(item.level)" }
        if let style = attributes[ParagraphStyleAttribute.self] {
            switch style.alignment {
            case .natural: break
            case .left: names["justification"] = "left"
            case .right: names["justification"] = "right"
            case .center: names["justification"] = "center"
            case .justified: names["justification"] = "fill"
            }
            if style.indent != 0 { names["left-margin"] = Self.text(of: style.indent) }
            if style.firstLineIndent != style.indent {
                names["indent"] = Self.text(of: style.firstLineIndent - style.indent)
            }
        }
        if let level = attributes[SuperscriptAttribute.self] { names["text-position"] = level > 0 ? "super" : "sub" }
        return names
    }

    /// Converts a length in device pixels to points. At scale 1, a pixel is 1/96 inch.
    private func points(_ pixels: Double) -> Double { pixels / max(0.1, view.layout.attributeScale) * 0.75 }

    static func text(of number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        let (whole, rest) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
        return (tenths < 0 ? "-" : "") + (rest == 0 ? "\(whole)" : "\(whole).\(rest)")
    }

    private static func text(of color: Color) -> String {
        [color.red, color.green, color.blue].map { String($0) }.joined(separator: ",")
    }

    private static func style(_ slant: FontDescriptor.Slant) -> String {
        switch slant {
        case .roman: "normal"
        case .italic: "italic"
        case .oblique: "oblique"
        }
    }

    /// Converts a font weight from fontconfig's scale to that of CSS (100…900).
    private static func weight(_ weight: Double) -> Int {
        let scale = [
            (0.0, 100), (40, 200), (50, 300), (75, 350), (80, 400), (100, 500), (180, 600), (200, 700), (205, 800),
            (210, 900),
        ]
        return scale.last { $0.0 <= weight }?.1 ?? 100
    }
}
