import Synchronization

/// A reference to ``TextAttributes``, as stored in attribute runs. Equal attributes are one object, so that
/// comparing and reading take no lock.
///
/// A reference retains its attributes; they are released with the last run, change or other value that refers to
/// them.
package struct AttributeID: Hashable, Sendable {
    /// The object that all references to these attributes share; nil for no attributes.
    private var shared: AttributeSet?

    /// The reference to no attributes at all.
    package static var none: AttributeID { AttributeID(shared: nil) }

    private init(shared: AttributeSet?) { self.shared = shared }

    /// Creates the reference to some attributes. Finding their shared object hashes the attributes, so keep the
    /// reference for other text that has the same ones.
    package init(_ attributes: TextAttributes) { self = AttributeTable.id(of: attributes) }

    fileprivate init(_ set: AttributeSet) { shared = set }

    package static func == (a: Self, b: Self) -> Bool { a.shared === b.shared }

    package func hash(into hasher: inout Hasher) { hasher.combine(identity) }

    /// The identity of the shared object, which may be reused once the attributes are released; nil for no attributes.
    package var identity: ObjectIdentifier? { shared.map(ObjectIdentifier.init) }

    /// Whether this is the only reference to the attributes.
    package mutating func isOnlyReference() -> Bool { isKnownUniquelyReferenced(&shared) }

    /// The attributes that the empty paragraph after a text's last newline inherits, if that newline has these
    /// attributes.
    package var behindLastNewline: AttributeID {
        let all = attributes
        let isWhole = all.items.allSatisfy(\.key.goesOnAtEnd)
        return isWhole ? self : AttributeTable.id(of: all.filter(\.goesOnAtEnd))
    }

    /// The attributes that this reference stands for.
    package var attributes: TextAttributes { shared?.hashed.attributes ?? TextAttributes() }

    /// The rules of the keys that have a value.
    var rules: AttributeRules { shared?.rules ?? [] }

    /// The attributes that are inherited by text which is typed next to text with these attributes.
    var added: AttributeID { shared?.added ?? self }

    /// Only those attributes whose keys have one value for all of a paragraph.
    var paragraphPart: AttributeID { shared?.paragraphPart ?? self }
}

/// Facts about a run's attributes that are needed without reading the values: the rules for edits, and whether
/// there is an attachment.
struct AttributeRules: OptionSet, Sendable {
    let rawValue: UInt8

    /// Set if the value of some key is the same in all of a paragraph.
    static let paragraph = AttributeRules(rawValue: 1)
    /// Set if some key is bound to a certain scalar.
    static let scalar = AttributeRules(rawValue: 2)
    /// Set if some key is removed when its text is edited.
    static let textDependent = AttributeRules(rawValue: 4)
    /// Set if some value, or a part of it, is inherited by text inserted inside a run, but not by text added at the
    /// run's ends.
    static let inheritedInside = AttributeRules(rawValue: 8)
    /// Set if some value is an attachment.
    static let contents = AttributeRules(rawValue: 16)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ attributes: TextAttributes) {
        self = []
        for item in attributes.items {
            switch item.key.boundaries {
            case .paragraph: insert(.paragraph)
            case .scalar: insert(.scalar)
            case nil: break
            }
            if item.key.isTextDependent { insert(.textDependent) }
            if item.key.isInheritedInside || item.isInheritedInPart { insert(.inheritedInside) }
            if item.key.holdsContents { insert(.contents) }
        }
    }
}

/// A set of attributes with its hash, which is computed once.
private struct HashedAttributes: Hashable {
    let attributes: TextAttributes
    let hash: Int

    init(_ attributes: TextAttributes) {
        self.attributes = attributes
        hash = attributes.hashValue
    }

    static func == (a: Self, b: Self) -> Bool { a.hash == b.hash && a.attributes == b.attributes }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// The object that all runs with the same attributes share.
private final class AttributeSet: Sendable {
    /// A lazily computed part of the attributes: a reference to the part's attributes, or nil if the part is the whole
    /// set.
    private final class Part: Sendable {
        let id: AttributeID?

        init(_ id: AttributeID?) { self.id = id }
    }

    let hashed: HashedAttributes
    let rules: AttributeRules
    // Parts are computed when they are first requested, because a loaded document may have a hundred thousand sets of
    // attributes, of which the user edits a few.
    private let knownAdded = AtomicLazyReference<Part>()
    private let knownParagraphPart = AtomicLazyReference<Part>()

    init(_ hashed: HashedAttributes) {
        self.hashed = hashed
        rules = AttributeRules(hashed.attributes)
    }

    /// The attributes that text typed next to text with these attributes inherits. Nil if it inherits all of them.
    var added: AttributeID? {
        if let known = knownAdded.load() { return known.id }
        return knownAdded.storeIfNil(Part(Self.added(hashed.attributes))).id
    }

    /// The attributes whose keys have one value for all of a paragraph. Nil if all keys are of this kind.
    var paragraphPart: AttributeID? {
        if let known = knownParagraphPart.load() { return known.id }
        let attributes = hashed.attributes
        let part = attributes.filter { $0.boundaries == .paragraph }
        let isAll = part.items.count == attributes.items.count
        return knownParagraphPart.storeIfNil(Part(isAll ? nil : AttributeTable.id(of: part))).id
    }

    /// Returns the attributes that text typed next to text with `attributes` inherits; nil if it inherits all of
    /// them. See ``AttributeID/added``.
    private static func added(_ attributes: TextAttributes) -> AttributeID? {
        let items = attributes.items.filter { $0.key.isInherited && !$0.key.isTextDependent }
        guard items.contains(where: \.isInheritedInPart) else {
            return items.count < attributes.items.count ? AttributeTable.id(of: TextAttributes(items: items)) : nil
        }
        let parts = items.compactMap { item in item.added.map { TextAttributes.Item(key: item.key, value: $0) } }
        return AttributeTable.id(of: TextAttributes(items: parts))
    }

    deinit { AttributeTable.remove(self) }
}

extension TextAttributes.Item {
    /// The part of the value that typed text inherits; nil if it inherits no part. Valid only for a key whose
    /// attributes are inherited.
    fileprivate var added: (any Hashable & Sendable)? { key.parts.map { $0.added(value) } ?? value }

    /// Whether typed text inherits only a part of the value. Valid only for a key with inherited attributes.
    fileprivate var isInheritedInPart: Bool {
        guard let parts = key.parts else { return false }
        return !TextAttributes.isEqual(parts.added(value), value)
    }
}

/// The attributes in use in this process, each once: the table in which the shared object of equal attributes is
/// found.
enum AttributeTable {
    /// A weak reference to a set of attributes. A class, because debug builds of Swift 6.3 copy an optional struct with
    /// a weak reference as if it were always present.
    private final class Entry {
        private(set) weak var set: AttributeSet?
        /// The identity of the set. Unique among all entries, because a set's memory is freed only after its entry
        /// was removed.
        let identity: ObjectIdentifier

        init(_ set: AttributeSet) {
            self.set = set
            identity = ObjectIdentifier(set)
        }
    }

    private static let entries = Mutex<[HashedAttributes: Entry]>([:])

    static func id(of attributes: TextAttributes) -> AttributeID {
        guard !attributes.isEmpty else { return .none }
        let hashed = HashedAttributes(attributes)
        if let known = entries.withLock({ $0[hashed]?.set }) { return AttributeID(known) }
        let new = AttributeSet(hashed)
        return AttributeID(add(new))
    }

    /// Adds a set of attributes to the table. Returns the set, or the equal set that another thread has added
    /// meanwhile.
    private static func add(_ new: AttributeSet) -> AttributeSet {
        entries.withLock { entries in
            guard let old = entries.updateValue(Entry(new), forKey: new.hashed) else { return new }
            if let known = old.set {
                entries[new.hashed] = old
                return known
            }
            // Remove the old key too, because the assignment has kept it. The old key may share its attributes
            // with a set that another thread is releasing. At this moment the other thread still holds the
            // attributes, because it waits for this lock. Later the table would be their last owner, and would
            // release them under the lock.
            entries.removeValue(forKey: new.hashed)
            entries[new.hashed] = Entry(new)
            return new
        }
    }

    /// Removes the entry of a set that is being released, unless another set has replaced it.
    fileprivate static func remove(_ set: AttributeSet) {
        let identity = ObjectIdentifier(set)
        entries.withLock { entries in
            if let index = entries.index(forKey: set.hashed), entries[index].value.identity == identity {
                entries.remove(at: index)
            }
        }
    }

    /// Returns the number of sets in use that fulfil a condition.
    static func count(where isCounted: (TextAttributes) -> Bool) -> Int {
        entries.withLock { entries in entries.keys.map(\.attributes) }.count(where: isCounted)
    }
}
