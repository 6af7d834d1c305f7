import Inkstone

/// The encodings to choose from, filtered by the typed text, and the chosen one. A value.
struct EncodingChoices: PromptChoices {
    /// The encodings in display order; empty if none matches the typed text.
    private(set) var encodings: [TextEncoding]
    /// The index of the chosen encoding; nil if there is none.
    private(set) var chosen: Int?
    private let current: TextEncoding
    /// The file whose first lines are still to be read; nil if there is none.
    private var path: FilePath?
    /// The first lines of the file, once they are read.
    private var preview: DecodedPreview?

    /// Choices of all encodings of the WHATWG's standard, with the present one chosen. Each shows the first lines of a file; `path` is nil for a
    /// text without one.
    init(current: TextEncoding, of path: FilePath? = nil) {
        (self.current, self.path) = (current, path)
        encodings = TextEncoding.standard
        chosen = encodings.firstIndex(of: current) ?? 0
    }

    /// Keeps the encodings with a label that contains a text, exact matches first; all for the present encoding's name.
    mutating func filter(_ text: String) {
        guard text != current.description else {
            encodings = TextEncoding.standard
            return chosen = encodings.firstIndex(of: current) ?? 0
        }
        encodings = TextEncoding.standard(matching: text)
        if let named = TextEncoding(named: text), !encodings.contains(named) { encodings.insert(named, at: 0) }
        chosen = encodings.isEmpty ? nil : 0
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
        return ChoiceReading {
            try? EncodingPreview(of: path)
        } then: { (choices: inout EncodingChoices, preview) in
            choices.preview = preview.map(DecodedPreview.init)
        }
    }
}

/// The first lines of a file in each encoding, decoded once: that takes milliseconds.
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
