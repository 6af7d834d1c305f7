import CCairo
import InkstoneBase
import InkstoneImages
import InkstoneLayout
import InkstoneText
import InkstoneWords

/// A PDF document being written: pages of rectangles, images, links, and text that can be extracted. Lengths are points
/// from the page's top left corner.
final class PDFDocument {
    /// Receives the document's bytes. An error that it throws ends the writing.
    typealias Sink = (UnsafeRawBufferPointer) throws(PrintError) -> Void

    /// A buffer of the document's bytes for the sink, with the error by which the sink has ended the writing.
    private final class Output {
        let sink: Sink
        var buffer: [UInt8] = []
        var failure: PrintError?

        init(_ sink: @escaping Sink) {
            self.sink = sink
            buffer.reserveCapacity(Self.piece + 4096)
        }

        static let piece = 1 << 16

        func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
            buffer.append(contentsOf: bytes)
            return buffer.count < Self.piece || flush()
        }

        func flush() -> Bool {
            guard failure == nil else { return false }
            buffer.withUnsafeBytes { bytes in
                do throws(PrintError) { try sink(bytes) } catch { failure = error }
            }
            buffer.removeAll(keepingCapacity: true)
            return failure == nil
        }
    }

    private let output: Output
    private let pdf: OpaquePointer
    /// The fonts opened so far; nil for fonts that cannot be opened.
    private var fonts: [FontID: OpaquePointer?] = [:]
    /// The glyph number of each invisible text: see ``blankNumber(of:)``.
    private var blanks: [[UInt8]: UInt32] = [:]
    private var lastBlank: UInt32 = 0
    /// The decoded images of attachments by their size in pixels; nil for those that cannot be decoded.
    private var images: [ImageKey: OpaquePointer?] = [:]
    /// The total number of pixels in ``images``.
    private var imagePixels = 0
    /// The number of each image, kept even if the image itself is not. Images of the same number are stored once in
    /// the document.
    private var imageNumbers: [ImageKey: UInt32] = [:]
    private var lastImage: UInt32 = 0

    private struct ImageKey: Hashable {
        var attachment: TextAttachment
        var width: Int
        var height: Int
    }

    /// The size in points of the pixels in which the sizes of fonts are given.
    private let scale: Double
    /// The maximum numbers of fonts, of texts and of images that are kept. When one of them is reached, all fonts, all
    /// texts or all images are dropped.
    private static let (mostFonts, mostBlanks, mostImages) = (256, 4096, 4096)
    /// The total number of pixels above which all images are dropped: 32 MB.
    private static let mostImagePixels = 8 << 20
    /// The maximum resolution of images, in pixels per inch.
    private static let resolution = 300.0

    /// Creates a document whose pages have the same size, in points. Throws if cairo is not installed, or if there is
    /// no memory.
    init(width: Double, height: Double, scale: Double, sink: @escaping Sink) throws(PrintError) {
        guard ccairo_load() else { throw .libraryMissing }
        self.scale = scale
        let output = Output(sink)
        let made = ccairo_pdf_create(
            width, height,
            { context, bytes, count in
                guard let context else { return false }
                return Unmanaged<Output>.fromOpaque(context).takeUnretainedValue().write(
                    UnsafeRawBufferPointer(start: bytes, count: count))
            }, Unmanaged.passUnretained(output).toOpaque())
        guard let made else { throw .failed(localized("memory is out")) }
        self.output = output
        pdf = made
    }

    deinit {
        ccairo_pdf_destroy(pdf)
        forgetFonts()
        forgetImages()
    }

    private func forgetImages() {
        for case let image? in images.values { ccairo_image_destroy(image) }
        (images, imagePixels) = ([:], 0)
    }

    private func forgetFonts() {
        for case let font? in fonts.values { ccairo_font_destroy(font) }
        fonts = [:]
    }

    /// Sets the document's title and creator, which viewers show. Must be called before the first page ends.
    func setTitle(_ title: String, creator: String) {
        ccairo_pdf_set_metadata(pdf, PrintedText.clean(title), creator)
    }

    /// Ends the current page.
    func showPage() throws(PrintError) {
        if !ccairo_pdf_show_page(pdf) { throw failure }
    }

    /// Writes the end of the document.
    func finish() throws(PrintError) {
        if !ccairo_pdf_finish(pdf) || !output.flush() { throw failure }
    }

    private var failure: PrintError {
        output.failure ?? .failed(ccairo_pdf_error(pdf).map { String(cString: $0) } ?? localized("no reason is known"))
    }

    /// Fills a rectangle of the page with a colour.
    func fill(x: Double, y: Double, width: Double, height: Double, _ color: Color) {
        addRectangle(x: x, y: y, width: width, height: height)
        fillRectangles(color)
    }

    /// Adds a rectangle for ``fillRectangles(_:)``. Many rectangles are filled faster together than one by one.
    func addRectangle(x: Double, y: Double, width: Double, height: Double) {
        ccairo_pdf_add_rectangle(pdf, x, y, width, height)
    }

    /// Fills the rectangles added so far.
    func fillRectangles(_ color: Color) { ccairo_pdf_fill(pdf, color.packed) }

    /// Shows a run of glyphs and stores its text. If the font cannot be opened, only stores the text, invisibly, in
    /// the font size `size`.
    func show(_ run: inout GlyphText, size: Double) {
        guard let first = run.glyphs.first, let last = run.glyphs.last else { return }
        guard let font = font(run.font) else {
            var blanks = BlankText(width: max(0, last.x - first.x), size: size)
            blanks.append(run.text, number: blankNumber(of: run.text), x: first.x, y: first.y)
            return show(&blanks)
        }
        run.glyphs.withUnsafeMutableBufferPointer { glyphs in
            run.text.withUnsafeBufferPointer { text in
                run.clusters.withUnsafeBufferPointer { clusters in
                    guard let glyph = glyphs.baseAddress, let cluster = clusters.baseAddress else { return }
                    text.withMemoryRebound(to: CChar.self) { text in
                        guard let first = text.baseAddress else { return }
                        ccairo_pdf_show(
                            pdf, font, glyph, Int32(glyphs.count), first, Int32(text.count), cluster,
                            Int32(clusters.count), run.isRightToLeft, run.color.packed)
                    }
                }
            }
        }
    }

    /// Paints a glyph of a colour font as a picture. Returns false if the glyph is not a picture, or the font
    /// cannot be opened.
    func showPicture(_ glyph: UInt32, of font: FontID, x: Double, y: Double) -> Bool {
        guard let font = self.font(font) else { return false }
        return ccairo_pdf_show_picture(pdf, font, glyph, x, y)
    }

    /// Makes a rectangle a link, if the destination has one of the schemes of `PrintedText.uri(_:)`. Other links are
    /// left out, because only the program that shows the text knows their meaning.
    func addLink(to destination: String, x: Double, y: Double, width: Double, height: Double) {
        guard width > 0, height > 0, let uri = PrintedText.uri(destination) else { return }
        ccairo_pdf_add_link(pdf, x, y, width, height, uri)
    }

    /// Paints the image of an attachment in a rectangle. Returns false if there is no image, it is too large or
    /// cannot be decoded, or the rectangle is empty.
    func showImage(of attachment: TextAttachment, x: Double, y: Double, width: Double, height: Double) -> Bool {
        guard let header = attachment.imageHeader, !header.isTooLarge, width > 0, height > 0 else { return false }
        func pixels(_ points: Double, _ own: Int) -> Int {
            max(1, min(own, Int((points * Self.resolution / 72).rounded(.up))))
        }
        let key = ImageKey(
            attachment: attachment, width: pixels(width, header.width), height: pixels(height, header.height))
        guard let image = image(key, header) else { return false }
        ccairo_pdf_show_image(pdf, image, x, y, width, height)
        return true
    }

    private func image(_ key: ImageKey, _ header: ImageHeader) -> OpaquePointer? {
        if let known = images[key] { return known }
        if imagePixels > Self.mostImagePixels || images.count >= Self.mostImages { forgetImages() }
        let decoded = try? ImageDecoder.decode(key.attachment.contents, header, width: key.width, height: key.height)
        let made = decoded.flatMap { decoded in
            imagePixels += decoded.pixels.count
            return decoded.pixels.withUnsafeBufferPointer { pixels in
                pixels.baseAddress.flatMap {
                    ccairo_image_create($0, Int32(decoded.width), Int32(decoded.height), number(of: key))
                }
            }
        }
        images[key] = .some(made)
        return made
    }

    private func number(of key: ImageKey) -> UInt32 {
        if let known = imageNumbers[key] { return known }
        if imageNumbers.count >= Self.mostImages { imageNumbers = [:] }
        lastImage &+= 1
        imageNumbers[key] = lastImage
        return lastImage
    }

    /// Stores texts at positions without showing anything, so that they can be extracted.
    func show(_ blanks: inout BlankText) {
        guard !blanks.text.isEmpty else { return }
        blanks.glyphs.withUnsafeMutableBufferPointer { glyphs in
            blanks.text.withUnsafeBufferPointer { text in
                blanks.clusters.withUnsafeBufferPointer { clusters in
                    guard let glyph = glyphs.baseAddress, let cluster = clusters.baseAddress else { return }
                    text.withMemoryRebound(to: CChar.self) { text in
                        guard let first = text.baseAddress else { return }
                        ccairo_pdf_show_blanks(
                            pdf, blanks.width, blanks.size, glyph, Int32(glyphs.count), first, Int32(text.count),
                            cluster)
                    }
                }
            }
        }
    }

    /// Returns the number that stands for an invisible text. Equal texts have the same number, until all texts are
    /// dropped because there are ``mostBlanks`` of them.
    func blankNumber(of text: [UInt8]) -> UInt32 {
        if blanks.count >= Self.mostBlanks { blanks = [:] }
        if let known = blanks[text] { return known }
        let number = lastBlank
        // Keep numbers below 2³¹, as `ccairo_pdf_show_blanks` requires. No document has so many texts.
        lastBlank = (lastBlank + 1) & 0x7fff_ffff
        blanks[text] = number
        return number
    }

    private func font(_ id: FontID) -> OpaquePointer? {
        if let known = fonts[id] { return known }
        if fonts.count >= Self.mostFonts { forgetFonts() }
        let made = ccairo_font_create(FontTable.pattern(for: id), FontTable.file(for: id), scale)
        fonts[id] = .some(made)
        return made
    }
}

/// Invisible texts, all of the same width and size.
struct BlankText {
    /// The width of each text and the font size, both in points. A width of 0 means the smallest possible width.
    var width: Double
    var size: Double
    fileprivate(set) var glyphs: [ccairo_glyph] = []
    fileprivate(set) var text: [UInt8] = []
    fileprivate(set) var clusters: [ccairo_cluster] = []

    init(width: Double, size: Double) { (self.width, self.size) = (width, size) }

    /// Adds a text and its number at a point of the page.
    mutating func append(_ text: [UInt8], number: UInt32, x: Double, y: Double) {
        guard !text.isEmpty else { return }
        glyphs.append(ccairo_glyph(glyph: UInt(number), x: x, y: y))
        self.text += text
        clusters.append(ccairo_cluster(bytes: Int32(text.count), glyphs: 1))
    }
}

/// Glyphs of one font and colour, with the text that they show.
struct GlyphText {
    var font: FontID
    var color: Color
    var isRightToLeft: Bool
    /// The glyphs, from left to right when they are shown. While a right-to-left run is collected, they are in the
    /// reverse order.
    var glyphs: [ccairo_glyph] = []
    /// The text in UTF-8, in logical order.
    var text: [UInt8] = []
    /// The correspondence of text and glyphs, in the order of the text.
    var clusters: [ccairo_cluster] = []

    /// Starts a new run without glyphs, reusing the buffers' capacity.
    mutating func start(_ font: FontID, _ color: Color, isRightToLeft: Bool) {
        (self.font, self.color, self.isRightToLeft) = (font, color, isRightToLeft)
        glyphs.removeAll(keepingCapacity: true)
        text.removeAll(keepingCapacity: true)
        clusters.removeAll(keepingCapacity: true)
    }
}

extension Color {
    /// The colour as 0xRRGGBBAA.
    fileprivate var packed: UInt32 { UInt32(red) << 24 | UInt32(green) << 16 | UInt32(blue) << 8 | UInt32(alpha) }
}

/// Conversion of text to the form in which it is stored in a PDF.
enum PrintedText {
    /// Appends the text of a cluster, given in UTF-16 units, to `text` as UTF-8. Characters that cairo does not
    /// accept are replaced. In a cluster that runs from right to left and has a single glyph, lam with alef is
    /// appended as one character, and a joiner before its letter.
    static func append(_ units: UnsafeBufferPointer<UInt16>, isRightToLeft: Bool, glyphs: Int, to text: inout [UInt8]) {
        if units.count == 1, 1..<0x80 ~= units[0] { return text.append(UInt8(truncatingIfNeeded: units[0])) }
        // Programs that extract text reverse the letters of a right-to-left ligature. Store the ligature as a
        // single character instead.
        if isRightToLeft, glyphs == 1, units.count == 2, units[0] == 0x644, let ligature = lamAlef(units[1]) {
            return append(ligature, to: &text)
        }
        // Extracted right-to-left text is reversed, so a joiner stored after its letter would come before it: store
        // it first.
        if isRightToLeft, glyphs == 1, units.count == 2, 0x200c...0x200d ~= units[1],
            let letter = Unicode.Scalar(units[0]), let joiner = Unicode.Scalar(units[1])
        {
            append(joiner, to: &text)
            return append(letter, to: &text)
        }
        if units.count == 1, let scalar = Unicode.Scalar(units[0]) { return append(scalar, to: &text) }
        for scalar in String(decoding: units, as: UTF16.self).unicodeScalars { append(scalar, to: &text) }
    }

    /// Returns a text with the characters replaced that cairo does not accept.
    static func clean(_ text: String) -> String { String(String.UnicodeScalarView(text.unicodeScalars.map(allowed))) }

    /// Returns the destination of a link as a URI in ASCII. Nil if it has 3,000 bytes or more, or 3,500 in the form
    /// with escapes, or if its scheme is none of `http`, `https`, `mailto`, `ftp` and `tel`.
    static func uri(_ destination: String) -> String? {
        let schemes = ["http", "https", "mailto", "ftp", "tel"]
        guard destination.utf8.count < 3000, let colon = destination.firstIndex(of: ":"),
            schemes.contains(destination[..<colon].lowercased())
        else { return nil }
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in destination.utf8 {
            if 0x21..<0x7f ~= byte, byte != UInt8(ascii: "'"), byte != UInt8(ascii: "\\") {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return bytes.count < 3500 ? String(decoding: bytes, as: UTF8.self) : nil
    }

    private static func append(_ scalar: Unicode.Scalar, to text: inout [UInt8]) {
        for byte in UTF8.encode(allowed(scalar)).unsafelyUnwrapped { text.append(byte) }
    }

    /// Returns U+FFFD for NUL and noncharacters, which cairo does not accept, and any other scalar unchanged.
    private static func allowed(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        let value = scalar.value
        return value == 0 || value & 0xfffe == 0xfffe || 0xfdd0...0xfdef ~= value ? "\u{fffd}" : scalar
    }

    /// Returns the character (U+FEF5 and others) for the ligature of lam with a kind of alef; nil if there is none.
    private static func lamAlef(_ alef: UInt16) -> Unicode.Scalar? {
        switch alef {
        case 0x622: "\u{fef5}"
        case 0x623: "\u{fef7}"
        case 0x625: "\u{fef9}"
        case 0x627: "\u{fefb}"
        default: nil
        }
    }
}
