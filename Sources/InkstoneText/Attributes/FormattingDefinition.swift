import Synchronization

/// The formatting that a text may have: the keys that there are, and constraints of their values. SwiftUI's
/// `AttributedTextFormattingDefinition`, as a value.
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
/// Constraints run in order. Each may read all keys and writes one; a later one sees the values of those before it.
public struct FormattingDefinition: Sendable {
    /// The keys that text may have. Others are dropped.
    public let scope: AttributeScope
    /// The constraints, in order.
    public let constraints: [ValueConstraint]
    private let memo = Memo()

    /// Bytes that known results take, about.
    var memoBytes: Int { memo.bytes }

    /// A definition by its keys and constraints.
    ///
    /// Throws if the constraints contradict each other: they are tried on text without attributes, with each of the values that they list, and
    /// with each two of these. After two passes a third one must change nothing.
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
            let (_, unsettled) = settle(probe)
            if !unsettled.isEmpty { throw .unsettled(constraints: unsettled.map(\.name)) }
        }
    }

    /// Most sets of attributes that constraints are tried on.
    private static let probeLimit = 1024

    /// The attributes that text gets in place of others; those attributes themselves, where the definition permits them.
    ///
    /// Attributes that the constraints do not agree on lose the keys in dispute. O(c) for c constraints, and a look-up for attributes that were
    /// asked for before.
    public func constrained(_ attributes: TextAttributes) -> TextAttributes {
        memo.value(of: attributes) {
            let (result, unsettled) = settle(attributes)
            guard !unsettled.isEmpty else { return result }
            let rest = result.removing(unsettled.map(\.key))
            let (again, disputed) = settle(rest)
            return disputed.isEmpty ? again : rest
        }
    }

    /// Two passes of all constraints, and those that a third one would still change something by.
    private func settle(_ attributes: TextAttributes) -> (TextAttributes, unsettled: [ValueConstraint]) {
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

    /// Results that are known, of a bounded size. Of attributes with attachments, and of other large ones, none is: they would stay in memory
    /// when no text has them any more.
    fileprivate final class Memo: Sendable {
        private struct Known {
            var results: [TextAttributes: TextAttributes] = [:]
            var bytes = 0
        }

        private let known = Mutex(Known())

        private static let limit = 1 << 20
        private static let largest = 4096

        /// Bytes that are kept, about.
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
    /// Whether one is a copy of the other: constraints are functions, which have no equals.
    public static func == (a: Self, b: Self) -> Bool { a.memo === b.memo }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(memo)) }
}

/// The keys that a text may have.
public struct AttributeScope: Sendable {
    /// Nil for all keys.
    private var names: Set<String>?

    private init(names: Set<String>?) { self.names = names }

    /// All keys.
    public static let all = AttributeScope(names: nil)

    /// Some keys.
    public init<each Key: AttributeKey>(_ keys: repeat (each Key).Type) {
        var names: Set<String> = []
        for name in repeat (each keys).name { names.insert(name) }
        self.names = names
    }

    /// The keys of both.
    public func union(_ other: AttributeScope) -> AttributeScope {
        guard let names, let others = other.names else { return .all }
        return AttributeScope(names: names.union(others))
    }

    /// Whether a key of a name is one of them.
    public func contains(_ name: String) -> Bool { names?.contains(name) ?? true }
}

/// A constraint of the values of one key. SwiftUI's `AttributedTextValueConstraint` and `ValueConstraint`.
public struct ValueConstraint: Sendable {
    /// The name, by which an error says it.
    public let name: String
    let key: any AttributeKey.Type
    let apply: @Sendable (inout TextAttributes) -> Void
    /// Attributes with values that it makes.
    let samples: [TextAttributes]

    /// A constraint by a function.
    ///
    /// - Parameter constrain: gets the value, which it may change, and all attributes of the text as the constraints before it have left them;
    ///   nil stands for no value. The same attributes always give the same.
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

    /// A constraint to some values.
    ///
    /// - Parameters:
    ///   - name: the name; nil for that of the key.
    ///   - values: the values that text may have; nil stands for none.
    ///   - default: the value in place of any other.
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

/// An error of a ``FormattingDefinition``.
public enum FormattingDefinitionError: Error, Hashable, CustomStringConvertible {
    /// Constraints of these names change each other's values without end.
    case unsettled(constraints: [String])

    /// The error in words, with what to do.
    public var description: String {
        switch self {
        case .unsettled(let names):
            "The constraints \(names.map { "“\($0)”" }.joined(separator: ", ")) change each other's values without end. Have each read only keys that constraints before it write."
        }
    }
}
