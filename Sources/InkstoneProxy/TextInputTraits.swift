import InkstoneBus

/// The wishes of a view for its keyboard. Views for secrets never have the focus as far as a keyboard knows, so there is no trait for them.
public struct TextInputTraits: Hashable, Sendable {
    /// The characters that the text is mostly made of.
    public enum KeyboardType: UInt32, Sendable {
        case standard = 0
        case asciiCapable, numbersAndPunctuation, url, numberPad, phonePad, namePhonePad, emailAddress, decimalPad
    }

    /// The word on the return key.
    public enum ReturnKeyType: UInt32, Sendable {
        case standard = 0
        case go, join, next, search, send, done, `continue`
    }

    /// The words that begin with a capital.
    public enum Autocapitalization: UInt32, Sendable {
        case none = 0
        case words, sentences, allCharacters
    }

    /// The kind of keys that are wanted.
    public var keyboardType = KeyboardType.standard
    /// The purpose of the return key.
    public var returnKeyType = ReturnKeyType.standard
    /// The places where a keyboard shifts by itself.
    public var autocapitalization = Autocapitalization.sentences
    /// Whether corrections are welcome; nil is the keyboard's choice.
    public var autocorrection: Bool?
    /// Whether spelling is to be checked; nil is the keyboard's choice.
    public var spellChecking: Bool?
    /// Whether quotes are to be curly; nil is the keyboard's choice.
    public var smartQuotes: Bool?
    /// Whether the return key is off while the text is empty.
    public var enablesReturnKeyAutomatically = false
    /// The kind of text, such as `name` or `postal-code`; nil if it is not known.
    public var contentType: String?
    /// Whether a return ends the text instead of beginning a line.
    public var isSingleLine = false

    /// The traits of ordinary text.
    public init() {}

    /// Numbers of a later version count as the standard.
    init(_ options: [String: BusValue]) throws(ProxyError) {
        func number(_ name: String) throws(ProxyError) -> UInt32? {
            guard let value = options[name] else { return nil }
            guard case .uint32(let number) = value else { throw .types(name) }
            return number
        }
        func flag(_ name: String) throws(ProxyError) -> Bool? {
            guard let value = options[name] else { return nil }
            guard case .boolean(let flag) = value else { throw .types(name) }
            return flag
        }
        keyboardType = try number("keyboard").flatMap(KeyboardType.init(rawValue:)) ?? .standard
        returnKeyType = try number("return").flatMap(ReturnKeyType.init(rawValue:)) ?? .standard
        autocapitalization = try number("capitals").flatMap(Autocapitalization.init(rawValue:)) ?? .sentences
        autocorrection = try flag("correction")
        spellChecking = try flag("spelling")
        smartQuotes = try flag("quotes")
        enablesReturnKeyAutomatically = try flag("return-by-itself") ?? false
        isSingleLine = try flag("single-line") ?? false
        if let value = options["content"] {
            guard case .string(let type) = value else { throw .types("content") }
            guard type.utf8.count <= ProxyProtocol.maximumName else { throw .tooLarge("content") }
            contentType = type
        }
    }

    var value: BusValue {
        var entries: [BusEntry] = []
        func add(_ name: String, _ value: BusValue?) {
            if let value { entries.append(BusEntry(.string(name), .variant(value))) }
        }
        add("keyboard", keyboardType == .standard ? nil : .uint32(keyboardType.rawValue))
        add("return", returnKeyType == .standard ? nil : .uint32(returnKeyType.rawValue))
        add("capitals", autocapitalization == .sentences ? nil : .uint32(autocapitalization.rawValue))
        add("correction", autocorrection.map { .boolean($0) })
        add("spelling", spellChecking.map { .boolean($0) })
        add("quotes", smartQuotes.map { .boolean($0) })
        add("return-by-itself", enablesReturnKeyAutomatically ? .boolean(true) : nil)
        add("single-line", isSingleLine ? .boolean(true) : nil)
        add("content", contentType.map { .string($0) })
        return .dictionary(.string, .variant, entries)
    }
}
