public import InkstoneBase

/// What a key, or a chord of several after each other, does.
public struct KeyBinding: Hashable, Sendable {
    /// The keys, pressed one after the other; usually one.
    public var strokes: [KeyStroke]
    /// What they do, in order; empty for nothing at all (the keys are used up).
    public var commands: [EditCommand]

    /// A binding of a chord.
    public init(_ strokes: [KeyStroke], _ commands: [EditCommand]) {
        self.strokes = strokes
        self.commands = commands
    }

    /// A binding from the names of its keys, divided by blanks; traps on a name that is not known, since it stands in
    /// the program's text. For a user's names use ``KeyBindingTable/init(parsing:file:knownCommands:salvaged:)``.
    public init(_ keys: String, _ commands: EditCommand...) {
        strokes = keys.split(separator: " ").map { name in
            guard let stroke = KeyStroke(name) else { preconditionFailure("there is no key \(name)") }
            return stroke
        }
        self.commands = commands
    }
}

/// The bindings of a view's keys, as data: later ones replace earlier ones of the same keys.
public struct KeyBindingTable: Hashable, Sendable {
    /// What a chord so far leads to.
    public enum Match: Hashable, Sendable {
        /// Nothing starts like this.
        case none
        /// More keys are needed.
        case prefix
        /// These commands.
        case commands([EditCommand])
    }

    private var table: [[KeyStroke]: [EditCommand]] = [:]
    private var prefixes: [[KeyStroke]: Int] = [:]
    /// Whether a binding begins with a key that types something otherwise. Hardly any table has one.
    private var takesTypedKeys = false

    /// A table of bindings.
    public init(_ bindings: [KeyBinding] = []) {
        for binding in bindings { add(binding) }
    }

    /// All bindings, ordered by their keys' names.
    public var bindings: [KeyBinding] {
        table.map { KeyBinding($0.key, $0.value) }
            .sorted { $0.strokes.map(\.description).joined() < $1.strokes.map(\.description).joined() }
    }

    /// Adds a binding, in place of one of the same keys.
    public mutating func add(_ binding: KeyBinding) {
        guard let first = binding.strokes.first else { return }
        takesTypedKeys = takesTypedKeys || first.isTyped
        if table.updateValue(binding.commands, forKey: binding.strokes) == nil {
            for length in 1..<max(1, binding.strokes.count) {
                prefixes[Array(binding.strokes.prefix(length)), default: 0] += 1
            }
        }
    }

    /// Takes the binding of these keys away.
    public mutating func remove(_ strokes: [KeyStroke]) {
        guard table.removeValue(forKey: strokes) != nil else { return }
        for length in 1..<max(1, strokes.count) {
            let prefix = Array(strokes.prefix(length))
            prefixes[prefix, default: 1] -= 1
            if prefixes[prefix] == 0 { prefixes[prefix] = nil }
        }
        takesTypedKeys = table.keys.contains { $0[0].isTyped }
    }

    /// Whether a key may be the first of a binding: false, without a look at each, for nearly all that type something.
    public func mayBegin(with event: KeyEvent) -> Bool {
        takesTypedKeys || !event.modifiers.isDisjoint(with: .commanding) || event.keysym.isFunction
            || event.latinKeysym.isFunction
    }

    /// Whether any binding needs more than one key.
    public var hasChords: Bool { !prefixes.isEmpty }

    /// What these keys, pressed after each other, lead to. A complete binding wins over a longer one.
    public func match(_ strokes: [KeyStroke]) -> Match {
        if let commands = table[strokes] { return .commands(commands) }
        return prefixes[strokes] != nil ? .prefix : .none
    }

    /// The keys bound to a command alone, shortest first: for menus.
    public func strokes(for command: EditCommand) -> [KeyStroke]? {
        table.filter { $0.value == [command] }.keys
            .min { ($0.count, $0.map(\.description).joined()) < ($1.count, $1.map(\.description).joined()) }
    }
}
