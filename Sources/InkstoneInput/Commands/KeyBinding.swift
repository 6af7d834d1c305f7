public import InkstoneBase

/// The binding of a key, or of a chord of consecutive keys, to commands.
public struct KeyBinding: Hashable, Sendable {
    /// The keys, pressed one after the other; usually one.
    public var strokes: [KeyStroke]
    /// The commands that the keys perform, in order. Empty if the keys have no effect.
    public var commands: [EditCommand]

    /// Creates a binding of a chord.
    public init(_ strokes: [KeyStroke], _ commands: [EditCommand]) {
        self.strokes = strokes
        self.commands = commands
    }

    /// Creates a binding from the names of its keys, separated by spaces. Traps on an unknown name, because the
    /// names are part of the program's source. For names from a user, use
    /// ``KeyBindingTable/init(parsing:file:knownCommands:salvaged:)``.
    public init(_ keys: String, _ commands: EditCommand...) {
        strokes = keys.split(separator: " ").map { name in
            guard let stroke = KeyStroke(name) else { preconditionFailure("there is no key \(name)") }
            return stroke
        }
        self.commands = commands
    }
}

/// The key bindings of a view. A later binding replaces an earlier one of the same keys.
public struct KeyBindingTable: Hashable, Sendable {
    /// The result of looking up consecutive keys in a table.
    public enum Match: Hashable, Sendable {
        /// No binding begins with these keys.
        case none
        /// A longer chord begins with these keys.
        case prefix
        /// The keys are bound to these commands.
        case commands([EditCommand])
    }

    private var table: [[KeyStroke]: [EditCommand]] = [:]
    private var prefixes: [[KeyStroke]: Int] = [:]
    /// Whether a binding begins with a key that otherwise types text. Few tables have such a binding.
    private var takesTypedKeys = false

    /// Creates a table of bindings.
    public init(_ bindings: [KeyBinding] = []) {
        for binding in bindings { add(binding) }
    }

    /// All bindings, ordered by their keys' names.
    public var bindings: [KeyBinding] {
        table.map { KeyBinding($0.key, $0.value) }
            .sorted { $0.strokes.map(\.description).joined() < $1.strokes.map(\.description).joined() }
    }

    /// Adds a binding. It replaces a binding of the same keys.
    public mutating func add(_ binding: KeyBinding) {
        guard let first = binding.strokes.first else { return }
        takesTypedKeys = takesTypedKeys || first.isTyped
        if table.updateValue(binding.commands, forKey: binding.strokes) == nil {
            for length in 1..<max(1, binding.strokes.count) {
                prefixes[Array(binding.strokes.prefix(length)), default: 0] += 1
            }
        }
    }

    /// Removes the binding of these keys.
    public mutating func remove(_ strokes: [KeyStroke]) {
        guard table.removeValue(forKey: strokes) != nil else { return }
        for length in 1..<max(1, strokes.count) {
            let prefix = Array(strokes.prefix(length))
            prefixes[prefix, default: 1] -= 1
            if prefixes[prefix] == 0 { prefixes[prefix] = nil }
        }
        takesTypedKeys = table.keys.contains { $0[0].isTyped }
    }

    /// Whether a key may begin a binding. False for a key that types text, unless some binding begins with such a key.
    /// Does not search the table.
    public func mayBegin(with event: KeyEvent) -> Bool {
        takesTypedKeys || !event.modifiers.isDisjoint(with: .commanding) || event.keysym.isFunction
            || event.latinKeysym.isFunction
    }

    /// Whether any binding has more than one key.
    public var hasChords: Bool { !prefixes.isEmpty }

    /// Returns the binding of consecutive keys. A binding of exactly these keys takes precedence over a longer one.
    public func match(_ strokes: [KeyStroke]) -> Match {
        if let commands = table[strokes] { return .commands(commands) }
        return prefixes[strokes] != nil ? .prefix : .none
    }

    /// Returns the shortest keys that are bound to this command alone. Menus show them. Nil if there are none.
    public func strokes(for command: EditCommand) -> [KeyStroke]? {
        table.filter { $0.value == [command] }.keys
            .min { ($0.count, $0.map(\.description).joined()) < ($1.count, $1.map(\.description).joined()) }
    }
}
