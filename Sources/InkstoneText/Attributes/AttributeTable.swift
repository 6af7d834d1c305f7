import Synchronization

/// The number of a ``TextAttributes`` in the table of its process: equal numbers mean equal attributes.
///
/// The upper four bits say which rules an edit has to ask for, so that most edits ask the table nothing.
struct AttributeID: Hashable, Sendable {
    let rawValue: UInt32

    /// No attributes.
    static let none = AttributeID(rawValue: 0)

    private static let indexBits: UInt32 = 28
    /// The place in the table.
    var index: Int { Int(rawValue & (1 << Self.indexBits - 1)) }
    /// What rules its keys have.
    var rules: AttributeRules { AttributeRules(rawValue: UInt8(rawValue >> Self.indexBits)) }

    fileprivate init(index: Int, _ rules: AttributeRules) {
        precondition(index < 1 << Self.indexBits, "too many different attributes")
        rawValue = UInt32(index) | UInt32(rules.rawValue) << Self.indexBits
    }

    private init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// What an edit has to heed in a run.
struct AttributeRules: OptionSet, Sendable {
    let rawValue: UInt8

    /// There is a key whose value is that of its paragraph.
    static let paragraph = AttributeRules(rawValue: 1)
    /// There is a key that only stands on a certain scalar.
    static let scalar = AttributeRules(rawValue: 2)
    /// There is a key that goes when its text is edited.
    static let textDependent = AttributeRules(rawValue: 4)
    /// There is a key that typed text does not take over.
    static let partlyInherited = AttributeRules(rawValue: 8)

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
            if !item.key.isInherited { insert(.partlyInherited) }
        }
    }
}

/// All attributes that runs of this process have had, each once. It only grows: by the number of different combinations,
/// not by the runs that have them.
enum AttributeTable {
    private struct State {
        var entries: [TextAttributes] = [TextAttributes()]
        var ids: [TextAttributes: AttributeID] = [TextAttributes(): .none]
    }

    private static let state = Mutex(State())

    static func id(of attributes: TextAttributes) -> AttributeID {
        guard !attributes.isEmpty else { return .none }
        return state.withLock { state in
            if let id = state.ids[attributes] { return id }
            let id = AttributeID(index: state.entries.count, AttributeRules(attributes))
            state.entries.append(attributes)
            state.ids[attributes] = id
            return id
        }
    }

    /// Whether there are so many that text from outside brings no more.
    static var isFull: Bool { state.withLock { $0.entries.count >= 1 << 18 } }

    static func attributes(_ id: AttributeID) -> TextAttributes {
        id == .none ? TextAttributes() : state.withLock { $0.entries[id.index] }
    }
}

extension AttributeID {
    /// Its attributes.
    var attributes: TextAttributes { AttributeTable.attributes(self) }

    /// What text typed next to such text gets.
    var added: AttributeID {
        guard !rules.isDisjoint(with: [.textDependent, .partlyInherited]) else { return self }
        return AttributeTable.id(of: attributes.filter { $0.isInherited && !$0.isTextDependent })
    }

    /// The part that is the same in all of a paragraph.
    var paragraphPart: AttributeID {
        guard rules.contains(.paragraph) else { return .none }
        return AttributeTable.id(of: attributes.filter { $0.boundaries == .paragraph })
    }
}
