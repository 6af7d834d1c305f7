import InkstoneBase
public import InkstoneInput

extension KeyBindingTable {
    /// The key that does a command and nothing else, as menus write it: `Ctrl+C`. Of several it is the one with a letter, else the
    /// shortest; empty if there is none.
    public func shortcutText(of command: EditCommand) -> String {
        let names = bindings.filter { $0.commands == [command] }.map { binding in
            binding.strokes.map { stroke in
                var parts = stroke.description.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
                if let last = parts.last, last.count == 1 { parts[parts.count - 1] = last.uppercased() }
                return parts.joined(separator: "+")
            }.joined(separator: " ")
        }
        func rank(_ name: String) -> (Int, Int) {
            let isLetter = name.split(separator: "+").last?.count == 1
            return (isLetter ? 0 : 1, name.count)
        }
        return names.min { rank($0) < rank($1) } ?? ""
    }
}
