import InkstoneBase
import InkstoneLayout
import InkstoneText

/// Text from outside that grows at its end, with the attributes of each piece.
///
/// Formatting characters of directions are balanced in each paragraph, so that none reaches into the text that it is pasted into.
struct StyledTextBuilder {
    private var bytes: [UInt8] = []
    /// Together at the end: a tree that each is added to is written anew for each.
    private var runs: [(length: Int, attributes: TextAttributes)] = []
    private var last: (length: Int, attributes: TextAttributes) = (0, TextAttributes())
    /// The characters that would close the embeddings and isolates that are open, innermost last.
    private var closers: [Unicode.Scalar] = []

    private static let popEmbedding: Unicode.Scalar = "\u{202c}"
    private static let popIsolate: Unicode.Scalar = "\u{2069}"
    /// Deepest nesting of directions (UAX #9, BD2).
    private static let deepestNesting = 125

    var isEmpty: Bool { bytes.isEmpty }

    /// Appends text of one paragraph.
    mutating func append(_ text: String, _ attributes: TextAttributes) {
        // All of them start with these bytes in UTF-8.
        guard text.utf8.contains(0xe2) else { return appendUnchecked(text, attributes) }
        var balanced = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where isBalanced(scalar) { balanced.append(scalar) }
        appendUnchecked(String(balanced), attributes)
    }

    /// Ends the paragraph.
    mutating func appendNewline(_ attributes: TextAttributes) {
        closeDirections()
        appendUnchecked("\n", attributes)
    }

    /// Removes all text.
    mutating func reset() { self = StyledTextBuilder() }

    /// The text so far, with the rules of paragraphs applied.
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

    /// Counts a scalar; false for one that would close what is not open, or nest too deep.
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
    /// Adds text as far as it has room below a number of bytes of UTF-8: a piece of a document may be as long as that is.
    mutating func append(_ text: some StringProtocol, upTo limit: Int) {
        let room = limit - utf8.count
        guard room > 0 else { return }
        guard text.utf8.count > room else { return append(contentsOf: text) }
        append(contentsOf: String(decoding: text.utf8.prefix(room), as: UTF8.self))
    }
}

/// Weights of CSS (100…900) and of fontconfig.
enum FontWeights {
    static let bold = 200.0
    private static let pairs: [(css: Double, fontconfig: Double)] = [
        (100, 0), (200, 40), (300, 50), (400, 80), (500, 100), (600, 180), (700, 200), (800, 205), (900, 210),
    ]

    /// The weight of CSS that is nearest to one of fontconfig.
    static func css(_ weight: Double) -> Double {
        pairs.min { abs($0.fontconfig - weight) < abs($1.fontconfig - weight) }?.css ?? 400
    }

    /// The weight of fontconfig that is nearest to one of CSS.
    static func fontconfig(_ weight: Double) -> Double {
        pairs.min { abs($0.css - weight) < abs($1.css - weight) }?.fontconfig ?? 80
    }
}

/// Destinations of links that may come in and go out.
enum LinkDestination {
    private static let schemes: Set<String> = ["http", "https", "mailto", "tel", "ftp"]

    /// Scalars of a destination at most: a part of one leads elsewhere.
    private static let mostScalars = 4096

    /// A destination without blanks and control characters; nil if it is too long, or of a scheme by which something may run or a file be
    /// opened.
    static func checked(_ destination: String) -> String? {
        guard destination.utf8.count <= 4 * mostScalars, destination.unicodeScalars.count <= mostScalars else {
            return nil
        }
        let text = withoutBlanks(destination)
        guard let colon = text.firstIndex(of: ":") else { return nil }
        return schemes.contains(text[..<colon].lowercased()) ? text : nil
    }

    /// Schemes whose addresses hold what a reader would run or show as its own.
    private static let activeSchemes: Set<String> = [
        "javascript", "jscript", "livescript", "mocha", "vbscript", "data", "blob", "filesystem", "view-source", "jar",
    ]

    /// A destination as another program may have it; nil if something may run by its scheme. Places in the document and files are the user's
    /// own.
    static func outgoing(_ destination: String) -> String? {
        let text = withoutBlanks(destination)
        guard let colon = text.firstIndex(where: { ":/?#".contains($0) }), text[colon] == ":" else {
            return destination
        }
        return activeSchemes.contains(text[..<colon].lowercased()) ? nil : destination
    }

    /// The text without what readers of addresses leave out: `java script:` is a scheme for some.
    private static func withoutBlanks(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value > 0x20 && $0.value != 0x7f }))
    }
}

/// The indent of a quotation, in pixels at scale 1.
enum Quotation { static let indent = 24.0 }
