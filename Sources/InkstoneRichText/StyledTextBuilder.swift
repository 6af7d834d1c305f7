import InkstoneBase
import InkstoneLayout
import InkstoneText

/// A styled text from another program that is built by appending pieces with their attributes.
///
/// Formatting characters for the writing direction are balanced in each paragraph, so that they do not affect the text
/// around it after a paste.
struct StyledTextBuilder {
    private var bytes: [UInt8] = []
    /// The runs so far. They are put into a tree at the end, because adding each run to a tree would copy a part of
    /// it.
    private var runs: [(length: Int, attributes: TextAttributes)] = []
    private var last: (length: Int, attributes: TextAttributes) = (0, TextAttributes())
    /// The characters that would close the open embeddings and isolates, innermost last.
    private var closers: [Unicode.Scalar] = []

    private static let popEmbedding: Unicode.Scalar = "\u{202c}"
    private static let popIsolate: Unicode.Scalar = "\u{2069}"
    /// The maximum nesting of embeddings and isolates (UAX #9, BD2). Formatting characters that would nest more deeply
    /// are left out.
    private static let deepestNesting = 125

    var isEmpty: Bool { bytes.isEmpty }

    /// Appends text, which must not contain newlines. Formatting characters that end no open embedding or isolate
    /// are left out.
    mutating func append(_ text: String, _ attributes: TextAttributes) {
        // All formatting characters for directions begin with this byte in UTF-8.
        guard text.utf8.contains(0xe2) else { return appendUnchecked(text, attributes) }
        var balanced = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where isBalanced(scalar) { balanced.append(scalar) }
        appendUnchecked(String(balanced), attributes)
    }

    /// Ends the paragraph with a newline.
    mutating func appendNewline(_ attributes: TextAttributes) {
        closeDirections()
        appendUnchecked("\n", attributes)
    }

    /// Removes the whole text.
    mutating func reset() { self = StyledTextBuilder() }

    /// Returns the text so far, with paragraph attributes extended to whole paragraphs.
    mutating func finish() -> StyledText {
        closeDirections()
        flushRun()
        return StyledText(Rope(bytes: bytes), runs: AttributeRuns(runs))
    }

    private mutating func appendUnchecked(_ text: String, _ attributes: TextAttributes) {
        guard !text.isEmpty else { return }
        if last.attributes != attributes {
            flushRun()
            last.attributes = attributes
        }
        bytes.append(contentsOf: text.utf8)
        last.length += text.utf16.count
    }

    private mutating func flushRun() {
        guard last.length > 0 else { return }
        runs.append(last)
        last.length = 0
    }

    private mutating func closeDirections() {
        guard !closers.isEmpty else { return }
        var text = String.UnicodeScalarView()
        while let closer = closers.popLast() { text.append(closer) }
        appendUnchecked(String(text), last.attributes)
    }

    /// Updates the nesting for a scalar. Returns false if the scalar ends an embedding or isolate that is not open, or
    /// would nest too deeply.
    private mutating func isBalanced(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x202a, 0x202b, 0x202d, 0x202e:
            guard closers.count < Self.deepestNesting else { return false }
            closers.append(Self.popEmbedding)
        case 0x2066...0x2068:
            guard closers.count < Self.deepestNesting else { return false }
            closers.append(Self.popIsolate)
        case 0x202c:
            guard closers.last == Self.popEmbedding else { return false }
            closers.removeLast()
        case 0x2069:
            guard let open = closers.lastIndex(of: Self.popIsolate) else { return false }
            closers.removeSubrange(open...)
        default: break
        }
        return true
    }
}

extension String {
    /// Appends as much of a text as fits within about `limit` UTF-8 bytes of this string. A part of a document may
    /// be very long.
    mutating func append(_ text: some StringProtocol, upTo limit: Int) {
        let room = limit - utf8.count
        guard room > 0 else { return }
        guard text.utf8.count > room else { return append(contentsOf: text) }
        append(contentsOf: String(decoding: text.utf8.prefix(room), as: UTF8.self))
    }
}

/// The conversion between weights of CSS (100…900) and of fontconfig.
enum FontWeights {
    /// Fontconfig's weight of bold fonts.
    static let bold = 200.0
    private static let pairs: [(css: Double, fontconfig: Double)] = [
        (100, 0), (200, 40), (300, 50), (400, 80), (500, 100), (600, 180), (700, 200), (800, 205), (900, 210),
    ]

    /// Returns the CSS weight that is nearest to a fontconfig weight.
    static func css(_ weight: Double) -> Double {
        pairs.min { abs($0.fontconfig - weight) < abs($1.fontconfig - weight) }?.css ?? 400
    }

    /// Returns the fontconfig weight that is nearest to a CSS weight.
    static func fontconfig(_ weight: Double) -> Double {
        pairs.min { abs($0.css - weight) < abs($1.css - weight) }?.fontconfig ?? 80
    }
}

/// The checks of link destinations that are read from other programs or written for them.
enum LinkDestination {
    /// The schemes of links that are read; other links are dropped.
    private static let schemes: Set<String> = ["http", "https", "mailto", "tel", "ftp"]

    /// The maximum number of scalars of a link's destination. Longer ones are rejected, because a truncated one
    /// leads elsewhere.
    private static let mostScalars = 4096

    /// Returns a link's destination that was read, without blanks and control characters. Nil if it is too long or
    /// has no scheme, or if its scheme is not http, https, mailto, tel or ftp. Other destinations may run code or
    /// open a file.
    static func checked(_ destination: String) -> String? {
        guard destination.utf8.count <= 4 * mostScalars, destination.unicodeScalars.count <= mostScalars else {
            return nil
        }
        let text = withoutBlanks(destination)
        guard let colon = text.firstIndex(of: ":") else { return nil }
        return schemes.contains(text[..<colon].lowercased()) ? text : nil
    }

    /// The schemes whose addresses contain content that a reader would run or show as its own.
    private static let activeSchemes: Set<String> = [
        "javascript", "jscript", "livescript", "mocha", "vbscript", "data", "blob", "filesystem", "view-source", "jar",
    ]

    /// Returns a destination for another program; nil if its scheme may run code. Fragments and files are allowed,
    /// because they are the user's own.
    static func outgoing(_ destination: String) -> String? {
        let text = withoutBlanks(destination)
        guard let colon = text.firstIndex(where: { ":/?#".contains($0) }), text[colon] == ":" else {
            return destination
        }
        return activeSchemes.contains(text[..<colon].lowercased()) ? nil : destination
    }

    /// Returns the text without characters that readers of addresses ignore: some read `java script:` as the scheme
    /// `javascript:`.
    private static func withoutBlanks(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value > 0x20 && $0.value != 0x7f }))
    }
}

/// The indent of a quotation, in pixels at scale 1.
enum Quotation { static let indent = 24.0 }
