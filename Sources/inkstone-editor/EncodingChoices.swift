import Inkstone
import InkstoneFiles

/// The choices of a prompt for an encoding, filtered by the typed text.
struct EncodingChoices: PromptChoices {
    /// The encodings in display order; empty if none matches the typed text.
    private(set) var encodings: [TextEncoding]
    /// The index of the chosen encoding; nil if there is none.
    private(set) var chosen: Int?
    private let current: TextEncoding
    /// All encodings of the WHATWG Encoding Standard: the present one first, then the likely ones.
    private var all: [TextEncoding]
    private let guess: EncodingGuess
    /// The text that the encodings were last filtered by.
    private var typed: String
    /// The path of the file whose first lines are still to be read; nil if there is none, or reading has begun.
    private var path: FilePath?
    /// The first lines of the file; nil until they are read.
    private var preview: DecodedPreview?

    /// Creates the choices of all encodings of the WHATWG Encoding Standard, with the present one first and chosen.
    /// Each row shows the first lines of the file at `path`, decoded in that encoding; `path` is nil for a document
    /// without a file. After the present encoding come those that decode the first lines without an error. Until the
    /// lines are read, UTF-8, the usual encodings of the locale, and common encodings come after it instead.
    init(
        current: TextEncoding, of path: FilePath? = nil,
        guess: EncodingGuess = EncodingGuess(locale: CharacterLocale.environmentName)
    ) {
        (self.current, self.path, self.guess) = (current, path, guess)
        let common = ["windows-1252", "UTF-16LE", "UTF-16BE"].compactMap(TextEncoding.init(named:))
        var seen: Set<TextEncoding> = []
        let standard = Set(TextEncoding.standard)
        all = ([current, .utf8] + guess.legacy + common + TextEncoding.standard)
            .filter { standard.contains($0) && seen.insert($0).inserted }
        (encodings, typed) = (all, current.description)
        chosen = all.firstIndex(of: current) ?? 0
    }

    /// Keeps the encodings that have a label containing the text; an encoding with exactly this label comes first.
    /// Keeps all if the text is the name of the present encoding.
    mutating func filter(_ text: String) {
        typed = text
        guard text != current.description else {
            encodings = all
            return chosen = all.firstIndex(of: current) ?? 0
        }
        let matching = Set(TextEncoding.standard(matching: text))
        let named = TextEncoding(named: text)
        encodings = (named.map { [$0] } ?? []) + all.filter { $0 != named && matching.contains($0) }
        chosen = encodings.isEmpty ? nil : 0
    }

    /// Sorts the encodings by an order of likelihood found from the file's first lines; the present encoding stays
    /// first.
    private mutating func sort(by order: [TextEncoding]) {
        let places = Dictionary(order.enumerated().map { ($1, $0) }, uniquingKeysWith: min)
        func place(_ encoding: TextEncoding) -> Int { encoding == current ? -1 : places[encoding] ?? order.count }
        all.sort { place($0) < place($1) }
        let chosen = encoding
        filter(typed)
        self.chosen = chosen.flatMap { encodings.firstIndex(of: $0) } ?? self.chosen
    }

    mutating func choose(_ index: Int) { chosen = encodings.indices.contains(index) ? index : chosen }

    /// The chosen encoding; nil if there is none.
    var encoding: TextEncoding? { chosen.map { encodings[$0] } }

    var count: Int { encodings.count }

    /// Returns the name of the chosen encoding; the typed text if none is chosen.
    func answer(to typed: String) -> String { encoding?.description ?? typed }

    func row(_ index: Int) -> ChoiceList.Row {
        ChoiceList.Row(name: encodings[index].description, text: preview?.lines(in: encodings[index]) ?? "")
    }

    mutating func beginReading() -> ChoiceReading? {
        guard let path else { return nil }
        self.path = nil
        let (all, guess) = (all, guess)
        return ChoiceReading {
            (try? EncodingPreview(of: path)).map { ($0, $0.sorted(all, by: guess)) }
        } then: { (choices: inout EncodingChoices, read) in
            guard let (preview, order) = read else { return }
            choices.preview = DecodedPreview(preview)
            choices.sort(by: order)
        }
    }
}

/// The first lines of a file in each encoding. Each is decoded only once, because that takes milliseconds.
private final class DecodedPreview {
    private let preview: EncodingPreview
    private var known: [TextEncoding: String] = [:]

    init(_ preview: EncodingPreview) { self.preview = preview }

    func lines(in encoding: TextEncoding) -> String {
        if let lines = known[encoding] { return lines }
        let lines = preview.lines(in: encoding)
        known[encoding] = lines
        return lines
    }
}
