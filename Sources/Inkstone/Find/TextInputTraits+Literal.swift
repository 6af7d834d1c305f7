import InkstoneProxy

extension TextInputTraits {
    /// Returns the traits of a field whose text is used literally, such as a search text, path, command or number:
    /// without capitals, corrections and smart quotes.
    package static func literal(_ keyboard: KeyboardType = .standard, returning key: ReturnKeyType) -> TextInputTraits {
        var traits = TextInputTraits()
        (traits.keyboardType, traits.returnKeyType) = (keyboard, key)
        traits.autocapitalization = .none
        (traits.autocorrection, traits.spellChecking, traits.smartQuotes) = (false, false, false)
        return traits
    }
}
