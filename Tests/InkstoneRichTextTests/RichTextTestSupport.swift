import Glibc
import InkstoneBase
import InkstoneLayout
import InkstoneRichText
import InkstoneText
import InkstoneUnicode

/// Describes a styled text: `(paragraph)` before a paragraph with a style, `{characters}` before each run with
/// attributes, and `{}` before a run without attributes that follows one.
func described(_ text: StyledText?) -> String {
    guard let text else { return "nothing" }
    let rope = text.rope
    return (0..<rope.paragraphCount).map { index in
        let content = rope.utf16ContentRange(of: ParagraphIndex(index))
        var line = ""
        let style = text.attributes(at: content.lowerBound)[ParagraphStyleAttribute.self]
        if let style, !content.isEmpty { line += "(\(words(style)))" }
        let intent = text.attributes(at: content.lowerBound)[PresentationIntentAttribute.self]
        let blocks = (intent?.components ?? []).compactMap { component -> String? in
            switch component.kind {
            case .header(let level): "h\(level)"
            case .codeBlock: "code"
            case .blockQuote: "quote"
            case .thematicBreak: "break"
            default: nil
            }
        }
        if !blocks.isEmpty { line += "(\(blocks.joined(separator: " ")))" }
        if let item = text.attributes(at: content.lowerBound)[ListAttribute.self], let list = item.list {
            let marker = list.plainMarker(number: list.startingNumber, isChecked: item.isChecked)
            line += "[\(item.level) \(item.hasMarker ? marker : "more")]"
        }
        var wasStyled = false
        for run in text.attributes(in: content) {
            let words = words(run.attributes)
            if !words.isEmpty || wasStyled { line += "{\(words)}" }
            wasStyled = !words.isEmpty
            line += rope.string(in: rope.byteRange(of: run.range))
        }
        return line.split(separator: "\u{2028}", omittingEmptySubsequences: false).joined(separator: "⏎")
            .split(separator: "\t", omittingEmptySubsequences: false).joined(separator: "→")
    }.joined(separator: "\n")
}

private func words(_ style: ParagraphStyle) -> String {
    var words: [String] = []
    if style.indent != 0 { words.append("\(Int(style.indent))") }
    if style.firstLineIndent != style.indent { words.append("first \(Int(style.firstLineIndent))") }
    if style.tailIndent != 0 { words.append("tail \(Int(style.tailIndent))") }
    if style.spacingBefore != 0 || style.spacingAfter != 0 {
        words.append("\(Int(style.spacingBefore))+\(Int(style.spacingAfter))")
    }
    switch style.alignment {
    case .natural: break
    case .left: words.append("left")
    case .right: words.append("right")
    case .center: words.append("center")
    case .justified: words.append("justified")
    }
    switch style.lineHeight {
    case .natural: break
    case .multipleOfSize(let factor): words.append("×\(factor)")
    default: words.append("\(style.lineHeight)")
    }
    switch style.baseDirection {
    case .natural: break
    case .leftToRight: words.append("ltr")
    case .rightToLeft: words.append("rtl")
    }
    return words.joined(separator: " ")
}

private func words(_ attributes: TextAttributes) -> String {
    var words: [String] = []
    if let weight = attributes[FontWeightAttribute.self] { words.append(weight == 200 ? "b" : "weight \(Int(weight))") }
    if let slant = attributes[FontSlantAttribute.self] { words.append(slant == .italic ? "i" : "\(slant)") }
    if let line = attributes[UnderlineAttribute.self] { words.append(line == .single ? "u" : "u \(line)") }
    if let line = attributes[StrikethroughAttribute.self] { words.append(line == .single ? "s" : "s \(line)") }
    if let level = attributes[SuperscriptAttribute.self] { words.append("^\(level)") }
    if let family = attributes[FontFamilyAttribute.self] {
        words.append(family == "monospace" ? "mono" : "'\(family)'")
    }
    if attributes[InlinePresentationIntentAttribute.self] == .code { words.append("code") }
    if let size = attributes[FontSizeAttribute.self] { words.append("\(Int(size.rounded()))px") }
    func hex(_ color: Color) -> String {
        "#" + [color.red, color.green, color.blue].map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
    }
    if let color = attributes[ForegroundAttribute.self] { words.append(hex(color)) }
    if let color = attributes[BackgroundAttribute.self] { words.append("on " + hex(color)) }
    if let distance = attributes[TrackingAttribute.self] { words.append("tracking \(Int(distance))") }
    if let language = attributes[LanguageAttribute.self] { words.append("in " + language) }
    if let link = attributes[LinkAttribute.self] { words.append("<\(link)>") }
    if let picture = attributes[AttachmentAttribute.self] {
        let size = picture.size.map { " in \(Int($0.width))×\(Int($0.height))" } ?? ""
        words.append("\(picture.type)\(size) '\(picture.alternateDescription)'")
    }
    return words.joined(separator: " ")
}

/// Reads HTML that a test writes.
func html(_ source: String, _ scope: RichTextFormat.Scope = .structure) -> String {
    described(RichTextFormat.html.read(Array(source.utf8), keeping: scope))
}

/// Reads RTF that a test writes.
func rtf(_ source: String, _ scope: RichTextFormat.Scope = .structure) -> String {
    described(RichTextFormat.rtf.read(Array(source.utf8), keeping: scope))
}

/// The bytes that a program put on the clipboard for the page of the recordings: `Fixtures`.
func recorded(_ name: String) -> [UInt8] {
    let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    guard let file = fopen("\(folder)/Fixtures/\(name)", "r") else { return [] }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
}

/// A line of a description; empty beyond its end.
func line(_ index: Int, of text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return index < lines.count ? String(lines[index]) : ""
}
