import InkstoneBase
import InkstoneLayout
import InkstoneText
import InkstoneUnicode

/// A writer that converts a styled text to a document of Rich Text Format 1, in ASCII.
struct RTFWriter {
    private var body = ""
    private var fonts = Table<String>()
    private var colors = Table<Color>()
    private var counts = ListCounts()
    private var lists = RTFListTable()
    /// The level of the deepest heading so far; 0 for none.
    private var deepestHeading = 0
    /// The number of bytes of pictures that may still be written.
    private var room = RichPicture.mostWritten

    /// The number of twips (1/1440 inch) in a pixel; ``halfPoints`` is the number of half points (1/144 inch).
    private static let twips = 15.0
    private static let halfPoints = 1.5

    /// Writes a complete document.
    static func write(_ text: StyledText) -> [UInt8] {
        var writer = RTFWriter()
        for paragraph in RichParagraph.all(of: text) { writer.write(paragraph) }
        var head = "{\\rtf1\\ansi\\ansicpg1252\\uc1"
        if !writer.fonts.values.isEmpty {
            head += "{\\fonttbl"
            // Font 0 is the default font of the reading program.
            for (index, font) in writer.fonts.values.enumerated() {
                head += "{\\f\(index + 1)\\fnil \(escaped(font));}"
            }
            head += "}"
        }
        if !writer.colors.values.isEmpty {
            head += "{\\colortbl;"
            for color in writer.colors.values { head += "\\red\(color.red)\\green\(color.green)\\blue\(color.blue);" }
            head += "}"
        }
        if writer.deepestHeading > 0 {
            // Programs recognize headings by these style names, but their own styles may look different. So the text of
            // a heading is written with all of its formatting.
            head += "{\\stylesheet{\\s0 Normal;}"
            for level in 1...writer.deepestHeading { head += "{\\s\(level) heading \(level);}" }
            head += "}"
        }
        if !writer.lists.isEmpty { head += writer.lists.written(escaped: escaped) }
        return Array((head + "\n" + writer.body + "}").utf8)
    }

    private mutating func write(_ paragraph: RichParagraph) {
        var style = paragraph.style
        let marked = paragraph.item.flatMap { $0.hasMarker ? $0 : nil }
        let place = marked.flatMap { lists.place(of: $0) }
        if let item = paragraph.item {
            let level = Double(RTFListTable.indent) / Self.twips
            style.indent += level * Double(item.level)
            style.firstLineIndent += level * Double(item.level - (marked == nil ? 0 : 1))
        }
        body += "\\pard"
        if let level = paragraph.headingLevel {
            body += "\\s\(level)"
            deepestHeading = max(deepestHeading, level)
        }
        // RTF cannot express a direction that follows from the text: write the direction that the text has now.
        let isBackward = style.baseDirection == .rightToLeft || paragraph.isRightToLeftByItself
        if isBackward { body += "\\rtlpar" } else if style.baseDirection == .leftToRight { body += "\\ltrpar" }
        switch style.alignment {
        // For word processors, no alignment means left, also for text from right to left.
        case .natural: if isBackward { body += "\\qr" }
        case .left: body += "\\ql"
        case .right: body += "\\qr"
        case .center: body += "\\qc"
        case .justified: body += "\\qj"
        }
        add("li", style.indent * Self.twips)
        add("fi", (style.firstLineIndent - style.indent) * Self.twips)
        add("ri", style.tailIndent * Self.twips)
        add("sb", style.spacingBefore * Self.twips)
        add("sa", style.spacingAfter * Self.twips)
        switch style.lineHeight {
        case .natural, .growing: break
        // With `\slmult1`, a value of 240 is the natural line height.
        case .multiple(let factor): body += "\\sl\(Self.whole(factor * 240))\\slmult1"
        case .multipleOfSize(let factor): body += "\\sl\(Self.whole(factor / 1.2 * 240))\\slmult1"
        case .exactly(let pixels): body += "\\sl-\(Self.whole(pixels * Self.twips))\\slmult0"
        case .atLeast(let pixels): body += "\\sl\(Self.whole(pixels * Self.twips))\\slmult0"
        }
        if let level = paragraph.headingLevel { body += "\\outlinelevel\(level - 1)" }
        body += "\\plain "
        if let place { body += "\\ls\(place.number)\\ilvl\(place.level) " }
        // For readers that do not support lists, write the marker as text, in a group that other readers ignore.
        if let item = marked, let list = item.list {
            let marker = list.plainMarker(number: counts.number(in: list), isChecked: item.isChecked)
            body += "{\\listtext \(Self.escaped(list.marker == .disc ? "•" : marker))\\tab}"
        }
        if let item = paragraph.item { counts.count(item) }
        for run in paragraph.runs {
            var run = run
            if let level = paragraph.headingLevel {
                run.attributes[FontWeightAttribute.self] = run.attributes[FontWeightAttribute.self] ?? FontWeights.bold
                let size = 16 * Self.headingSizes[level - 1]
                run.attributes[FontSizeAttribute.self] = run.attributes[FontSizeAttribute.self] ?? size
            }
            write(run)
        }
        if paragraph.isWhole { body += "\\par\n" }
    }

    /// The font sizes of headings by level, as multiples of 16 px.
    private static let headingSizes = [2, 1.5, 1.25, 1.1, 1, 0.9]

    private mutating func add(_ word: String, _ value: Double) {
        let value = Self.whole(value)
        if value != 0 { body += "\\\(word)\(value)" }
    }

    private static func whole(_ value: Double) -> Int { Int(checking: value.rounded(), in: -1_000_000...1_000_000) }

    // MARK: Runs

    private mutating func write(_ run: RichParagraph.Run) {
        let link = run.attributes[LinkAttribute.self].flatMap { LinkDestination.outgoing($0) }
        if let link { body += "{\\field{\\*\\fldinst HYPERLINK \"\(Self.address(link))\"}{\\fldrslt " }
        var attributes = run.attributes
        if link != nil {
            // Readers do not style links by themselves: underline and colour them.
            attributes[UnderlineAttribute.self] = attributes[UnderlineAttribute.self] ?? .single
            attributes[ForegroundAttribute.self] = attributes[ForegroundAttribute.self] ?? Color(rgb: 0x0563c1)
        }
        let words = words(attributes)
        body += "{" + words + (words.isEmpty ? "" : " ")
        if let picture = run.attributes[AttachmentAttribute.self] {
            for _ in run.text.unicodeScalars { write(picture) }
        } else {
            body += Self.escaped(run.text)
        }
        body += "}"
        if link != nil { body += "}}" }
    }

    /// Writes a picture if it is a PNG or JPEG, which RTF supports. If it has another format, or is too large,
    /// writes its description.
    private mutating func write(_ picture: TextAttachment) {
        let words = Self.escaped(picture.alternateDescription)
        guard let header = picture.imageHeader, header.format == .png || header.format == .jpeg,
            picture.contents.count <= room
        else {
            body += words
            return
        }
        room -= picture.contents.count
        let size = picture.size ?? Size(width: Double(header.width), height: Double(header.height))
        body += "{\\*\\shppict{\\pict"
        if !words.isEmpty { body += "{\\*\\picprop{\\sp{\\sn wzDescription}{\\sv \(words)}}}" }
        body += "\\picw\(header.width)\\pich\(header.height)"
        body += "\\picwgoal\(Self.whole(size.width * Self.twips))\\pichgoal\(Self.whole(size.height * Self.twips))"
        body += header.format == .png ? "\\pngblip\n" : "\\jpegblip\n"
        body += Self.hexadecimal(picture.contents) + "}}"
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x61 + value - 10 }
        return String(unsafeUninitializedCapacity: 2 * bytes.count) { result in
            for (index, byte) in bytes.enumerated() {
                result[2 * index] = digit(byte >> 4)
                result[2 * index + 1] = digit(byte & 15)
            }
            return 2 * bytes.count
        }
    }

    private mutating func words(_ attributes: TextAttributes) -> String {
        var words = ""
        if let weight = attributes[FontWeightAttribute.self] { words += weight > 140 ? "\\b" : "\\b0" }
        if let slant = attributes[FontSlantAttribute.self] { words += slant == .roman ? "\\i0" : "\\i" }
        switch attributes[UnderlineAttribute.self] {
        case .single: words += "\\ul"
        case .thick: words += "\\ulth"
        case .double: words += "\\uldb"
        case .dotted: words += "\\uld"
        case .dashed: words += "\\uldash"
        case .wavy: words += "\\ulwave"
        case nil: break
        }
        if let color = attributes[UnderlineColorAttribute.self] { words += "\\ulc\(colors.index(of: color))" }
        switch attributes[StrikethroughAttribute.self] {
        case .double: words += "\\striked1"
        case .some: words += "\\strike"
        case nil: break
        }
        if let level = attributes[SuperscriptAttribute.self] { words += level > 0 ? "\\super" : "\\sub" }
        if let family = attributes[FontFamilyAttribute.self] { words += "\\f\(fonts.index(of: family))" }
        if let size = attributes[FontSizeAttribute.self] {
            words += "\\fs\(max(1, Self.whole(size * Self.halfPoints)))"
        }
        if let color = attributes[ForegroundAttribute.self] { words += "\\cf\(colors.index(of: color))" }
        // Word and LibreOffice support different control words for a background, so write all of them.
        if let color = attributes[BackgroundAttribute.self] {
            let index = colors.index(of: color)
            words += "\\chshdng0\\chcbpat\(index)\\cb\(index)"
        }
        if let distance = attributes[TrackingAttribute.self] {
            words += "\\expndtw\(Self.whole(distance * Self.twips))"
        }
        return words
    }

    /// A table of fonts or colours in the order of their numbers.
    private struct Table<Value: Hashable> {
        private(set) var values: [Value] = []
        private var indices: [Value: Int] = [:]
        /// The maximum number of entries of a table. Further values are written as 0, which is the reader's
        /// default.
        private static var mostValues: Int { 4095 }

        mutating func index(of value: Value) -> Int {
            if let index = indices[value] { return index }
            guard values.count < Self.mostValues else { return 0 }
            values.append(value)
            indices[value] = values.count
            return values.count
        }
    }

    // MARK: Text

    private static func escaped(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", "{", "}":
                result += "\\"
                result.unicodeScalars.append(scalar)
            case "\t": result += "\\tab "
            case "\u{2028}": result += "\\line "
            case "\u{a0}": result += "\\~"
            case " "..."~": result.unicodeScalars.append(scalar)
            case "\u{80}"...:
                for unit in UTF16.encode(scalar) ?? .init() { result += "\\u\(Int16(bitPattern: unit))?" }
            default: break
            }
        }
        return result
    }

    /// Returns a link as it is written in a field: characters that are special there are percent-encoded.
    private static func address(_ link: String) -> String {
        var result = ""
        for byte in link.utf8 {
            if (0x21...0x7e).contains(byte), !"\"\\{}".utf8.contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%" + String(Int(byte) + 256, radix: 16).dropFirst().uppercased()
            }
        }
        return result
    }
}
