import InkstoneBus

/// A view's requirements for its keyboard. There is no trait for secure text: keyboards are never notified that a
/// secure view has the focus.
public struct TextInputTraits: Hashable, Sendable {
    /// The kind of characters of which the text mostly consists.
    public enum KeyboardType: UInt32, Sendable {
        case standard = 0
        case asciiCapable, numbersAndPunctuation, url, numberPad, phonePad, namePhonePad, emailAddress, decimalPad
    }

    /// The label of the return key.
    public enum ReturnKeyType: UInt32, Sendable {
        case standard = 0
        case go, join, next, search, send, done, `continue`
    }

    /// The words or characters that a keyboard capitalizes automatically.
    public enum Autocapitalization: UInt32, Sendable {
        case none = 0
        case words, sentences, allCharacters
    }

    /// The kind of keyboard that suits the text.
    public var keyboardType = KeyboardType.standard
    /// The label of the return key.
    public var returnKeyType = ReturnKeyType.standard
    /// The words or characters that a keyboard capitalizes automatically.
    public var autocapitalization = Autocapitalization.sentences
    /// Whether the keyboard should correct the text; nil leaves that to the keyboard.
    public var autocorrection: Bool?
    /// Whether the keyboard should check spelling; nil leaves that to the keyboard.
    public var spellChecking: Bool?
    /// Whether the keyboard should type curly quotes; nil leaves that to the keyboard.
    public var smartQuotes: Bool?
    /// Whether the return key is disabled while the text is empty.
    public var enablesReturnKeyAutomatically = false
    /// The kind of text, such as `name` or `postal-code`; nil if it is not known.
    public var contentType: String?
    /// Whether the view has a single line, so that the return key performs an action instead of inserting a
    /// newline.
    public var isSingleLine = false

    /// Creates the traits of ordinary text.
    public init() {}

    /// Creates traits by reading the options of a message. Unknown numbers, as of a later version, are read as the
    /// default values.
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

    var entries: [BusEntry] {
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
        return entries
    }
}
