import Synchronization

/// The formatting that a text may have: the permitted keys, and constraints on their values. The counterpart of
/// SwiftUI's `AttributedTextFormattingDefinition`, as a value.
///
/// ```swift
/// let recipe = try FormattingDefinition(
///     scope: AttributeScope(Ingredient.self, ForegroundAttribute.self),
///     [
///         ValueConstraint("ingredients are green", for: ForegroundAttribute.self) { color, text in
///             color = text[Ingredient.self] == nil ? nil : .green
///         }
///     ])
/// view.formattingDefinition = recipe
/// ```
///
/// Constraints run in order. Each may read all keys and writes one key; it sees the values written by the
/// constraints before it.
public struct FormattingDefinition: Sendable {
    /// The keys that text may have. Other keys are removed.
    public let scope: AttributeScope
    /// The constraints on values, in the order in which they run.
    public let constraints: [ValueConstraint]
    private let memo = Memo()

    /// Approximate memory use of the cached results, in bytes.
    var memoBytes: Int { memo.bytes }

    /// Creates a definition with the given keys and constraints.
    ///
    /// Throws if the constraints contradict each other. To test this, all constraints are applied in order, several
    /// times: the third time must change nothing. The test is made for text without attributes, and for each of the
    /// values that the constraints list. It is also made for each pair of these values, up to a limit.
    public init(
        scope: AttributeScope = .all, _ constraints: [ValueConstraint]
    ) throws(FormattingDefinitionError) {
        (self.scope, self.constraints) = (scope, constraints)
        let samples = constraints.flatMap(\.samples)
        var probes = [TextAttributes()] + samples
        for (index, first) in samples.enumerated() {
            for second in samples.dropFirst(index + 1) {
                guard probes.count < Self.probeLimit else { break }
                var both = first
                both.merge(second)
                probes.append(both)
            }
        }
        for probe in probes {
            let (_, unsettled) = resolve(probe)
            if !unsettled.isEmpty { throw .unsettled(constraints: unsettled.map(\.name)) }
        }
    }

    /// The largest number of sets of attributes on which constraints are tested. When it is reached, further pairs of
    /// values are not tested.
    private static let probeLimit = 1024

    /// Returns the permitted attributes for some attributes; the same attributes if the definition permits them.
    ///
    /// If some constraints would still change values after two rounds of all constraints, the keys of those constraints
    /// are removed, and all constraints are applied again. If constraints would then still change values after two
    /// rounds, the attributes left by the removal are returned. O(c) for c constraints; one lookup for attributes whose
    /// result is cached.
    public func constrained(_ attributes: TextAttributes) -> TextAttributes {
        memo.value(of: attributes) {
            let (result, unsettled) = resolve(attributes)
            guard !unsettled.isEmpty else { return result }
            let rest = result.removing(unsettled.map(\.key))
            let (again, disputed) = resolve(rest)
            return disputed.isEmpty ? again : rest
        }
    }

    /// Removes the keys that the scope lacks, and applies all constraints in order. If that has changed a value,
    /// applies them a second time. Also returns the constraints that would still change a value in a third round.
    private func resolve(_ attributes: TextAttributes) -> (TextAttributes, unsettled: [ValueConstraint]) {
        var result = attributes.filter { scope.contains($0.name) }
        for _ in 0..<2 {
            let before = result
            for constraint in constraints { constraint.apply(&result) }
            result = result.filter { scope.contains($0.name) }
            if result == before { return (result, []) }
        }
        var third = result
        var unsettled: [ValueConstraint] = []
        for constraint in constraints {
            let before = third
            constraint.apply(&third)
            if third.filter({ scope.contains($0.name) }) != before { unsettled.append(constraint) }
        }
        return (result, unsettled)
    }

    /// Cached results, of a bounded total size. Large attributes, and those with attachments, are not cached,
    /// because they would stay in memory after no text has them any more.
    fileprivate final class Memo: Sendable {
        private struct Known {
            var results: [TextAttributes: TextAttributes] = [:]
            var bytes = 0
        }

        private let known = Mutex(Known())

        /// The largest total size of the cached results, in bytes. When a further result would exceed it, all are
        /// dropped first.
        private static let limit = 1 << 20
        /// The largest size, in bytes, of a result that is cached; it includes the attributes for which it is cached.
        private static let largest = 4096

        /// Approximate memory use of the cached results, in bytes.
        var bytes: Int { known.withLock { $0.bytes } }

        func value(of attributes: TextAttributes, _ make: () -> TextAttributes) -> TextAttributes {
            if let known = known.withLock({ $0.results[attributes] }) { return known }
            let new = make()
            let size = 128 + attributes.heldBytes + new.heldBytes
            let isContent = AttributeRules(attributes).union(AttributeRules(new)).contains(.contents)
            guard size <= Self.largest, !isContent else { return new }
            known.withLock { known in
                if known.bytes + size > Self.limit { known = Known() }
                if known.results.updateValue(new, forKey: attributes) == nil { known.bytes += size }
            }
            return new
        }
    }
}

extension FormattingDefinition: Hashable {
    /// Whether one definition is a copy of the other. Constraints are functions, which cannot be compared.
    public static func == (a: Self, b: Self) -> Bool { a.memo === b.memo }

    /// Hashes the identity that copies share.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(memo)) }
}

/// The keys that a text may have.
public struct AttributeScope: Sendable {
    /// The names of the keys; nil for all keys.
    private var names: Set<String>?

    private init(names: Set<String>?) { self.names = names }

    /// A scope of all keys.
    public static let all = AttributeScope(names: nil)

    /// Creates a scope of the given keys.
    public init<each Key: AttributeKey>(_ keys: repeat (each Key).Type) {
        var names: Set<String> = []
        for name in repeat (each keys).name { names.insert(name) }
        self.names = names
    }

    /// Returns a scope with the keys of both scopes.
    public func union(_ other: AttributeScope) -> AttributeScope {
        guard let names, let others = other.names else { return .all }
        return AttributeScope(names: names.union(others))
    }

    /// Whether the scope contains the key called `name`.
    public func contains(_ name: String) -> Bool { names?.contains(name) ?? true }
}

/// A constraint on the values of one key. The counterpart of SwiftUI's `AttributedTextValueConstraint` and
/// `ValueConstraint`.
public struct ValueConstraint: Sendable {
    /// The name by which an error refers to the constraint.
    public let name: String
    let key: any AttributeKey.Type
    let apply: @Sendable (inout TextAttributes) -> Void
    /// Attributes with the values that the constraint lists, on which a definition tests its constraints.
    let samples: [TextAttributes]

    /// Creates a constraint by a function.
    ///
    /// - Parameter constrain: called with the key's value, which it may change, and with all attributes of the text
    ///   as the earlier constraints left them; nil means no value. Must always return the same for the same
    ///   attributes.
    public init<Key: AttributeKey>(
        _ name: String, for key: Key.Type,
        constrain: @escaping @Sendable (inout Key.Value?, TextAttributes) -> Void
    ) {
        (self.name, self.key, samples) = (name, key, [])
        apply = { attributes in
            var value = attributes[key]
            constrain(&value, attributes)
            attributes[key] = value
        }
    }

    /// Creates a constraint to a set of values.
    ///
    /// - Parameters:
    ///   - name: the name of the constraint; nil for the key's name.
    ///   - values: the values that text may have; nil in the set permits text without the key.
    ///   - default: the value that replaces all other values; nil removes the key.
    public init<Key: AttributeKey>(
        _ name: String? = nil, for key: Key.Type, values: Set<Key.Value?>, default: Key.Value?
    ) {
        (self.name, self.key) = (name ?? key.name, key)
        samples = values.compactMap(\.self).map { TextAttributes(key, $0) }
        apply = { attributes in
            if !values.contains(attributes[key]) { attributes[key] = `default` }
        }
    }
}

/// The error that the initializer of ``FormattingDefinition`` throws.
public enum FormattingDefinitionError: Error, Hashable, CustomStringConvertible {
    /// The constraints with these names contradict each other: after two rounds of all constraints they would still
    /// change values.
    case unsettled(constraints: [String])

    /// The error in words, with what to do.
    public var description: String {
        switch self {
        case .unsettled(let names):
            "The constraints \(names.map { "“\($0)”" }.joined(separator: ", ")) contradict each other: each undoes the values of another. Let a constraint read only keys that earlier constraints set."
        }
    }
}
