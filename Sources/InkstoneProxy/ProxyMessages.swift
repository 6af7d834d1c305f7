import InkstoneBus

/// The parts of a view's state, as a set of bits: those to watch, or those that have changed.
package struct ProxyChanges: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static let text = ProxyChanges(rawValue: 1)
    package static let selection = ProxyChanges(rawValue: 2)
    package static let marked = ProxyChanges(rawValue: 4)
    package static let traits = ProxyChanges(rawValue: 8)
    package static let geometry = ProxyChanges(rawValue: 16)
    package static let all = ProxyChanges(rawValue: 31)
}

/// The causes of a change, as a set of bits in a notice.
package struct ProxyCauses: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static let key = ProxyCauses(rawValue: 1)
    package static let method = ProxyCauses(rawValue: 2)
    package static let proxy = ProxyCauses(rawValue: 4)
    package static let pointer = ProxyCauses(rawValue: 8)
    package static let program = ProxyCauses(rawValue: 16)
    package static let all = ProxyCauses(rawValue: 31)
}

/// A call from a keyboard to an editor.
package enum ProxyRequest: Hashable, Sendable {
    /// Asks for permission to edit, with the protocol's version and the keyboard's name for the user.
    case hello(version: UInt32, name: String)
    case focus
    /// Asks for notices of these changes of a view; an empty set ends the notices.
    case watch(view: UInt64, ProxyChanges)
    /// Asks for the text around the selection, at most `bytes` bytes of UTF-8 before it, after it and within it.
    case context(view: UInt64, bytes: UInt32)
    case apply(view: UInt64, ProxyBatch)
    /// Asks a view to give up the focus.
    case resign(view: UInt64)
    /// Asks for the next input mode.
    case next(view: UInt64)

    package init(_ wire: ProxyWire) throws(ProxyError) {
        if wire.path == ProxyProtocol.path, wire.interface == ProxyProtocol.interface {
            switch (wire.member, wire.body.count) {
            case ("Hello", 3):
                guard case .uint32(let version) = wire.body[0], case .string(let name) = wire.body[1],
                    wire.body[2].options != nil
                else { throw .types("Hello") }
                self = .hello(version: version, name: try Self.checked(name))
            case ("Focus", 0): self = .focus
            case ("Hello", _), ("Focus", _): throw .types(wire.member)
            default: throw .unknown("method")
            }
        } else if let view = ProxyProtocol.view(at: wire.path), wire.interface == ProxyProtocol.viewInterface {
            switch (wire.member, wire.body.count) {
            case ("Watch", 1):
                guard case .uint32(let bits) = wire.body[0] else { throw .types("Watch") }
                guard bits & ~ProxyChanges.all.rawValue == 0 else { throw .unknown("bits") }
                self = .watch(view: view, ProxyChanges(rawValue: bits))
            case ("Context", 1):
                guard case .uint32(let bytes) = wire.body[0] else { throw .types("Context") }
                guard bytes <= ProxyProtocol.maximumText else { throw .tooLarge("a context") }
                self = .context(view: view, bytes: bytes)
            case ("Apply", _): self = .apply(view: view, try ProxyBatch(wire.body))
            case ("Resign", 0): self = .resign(view: view)
            case ("Next", 0): self = .next(view: view)
            case ("Watch", _), ("Context", _), ("Resign", _), ("Next", _): throw .types(wire.member)
            default: throw .unknown("method")
            }
        } else {
            throw .unknown("object or interface")
        }
    }

    package var wire: ProxyWire {
        func root(_ member: String, _ body: [BusValue] = []) -> ProxyWire {
            ProxyWire(path: ProxyProtocol.path, interface: ProxyProtocol.interface, member: member, body: body)
        }
        func view(_ view: UInt64, _ member: String, _ body: [BusValue] = []) -> ProxyWire {
            ProxyWire(
                path: ProxyProtocol.path(of: view), interface: ProxyProtocol.viewInterface, member: member, body: body)
        }
        return switch self {
        case .hello(let version, let name): root("Hello", [.uint32(version), .string(name), .options([:])])
        case .focus: root("Focus")
        case .watch(let number, let changes): view(number, "Watch", [.uint32(changes.rawValue)])
        case .context(let number, let bytes): view(number, "Context", [.uint32(bytes)])
        case .apply(let number, let batch): view(number, "Apply", batch.body)
        case .resign(let number): view(number, "Resign")
        case .next(let number): view(number, "Next")
        }
    }

    /// Checks a keyboard's name, which is shown to the user: a short text without control characters.
    private static func checked(_ name: String) throws(ProxyError) -> String {
        guard name.utf8.count <= ProxyProtocol.maximumName else { throw .tooLarge("a name") }
        guard name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw .nonsense("a name with control characters")
        }
        return name
    }
}

/// Whether a keyboard may edit.
public enum ProxyAccess: String, Hashable, Sendable {
    /// The user is being asked.
    case asked
    case allowed
    case refused
}

/// The answer to Hello, a keyboard's first call.
package struct ProxyWelcome: Hashable, Sendable {
    package var version: UInt32
    package var access: ProxyAccess
    /// The time of the editor's monotonic clock, in milliseconds; nil if the editor does not respect
    /// ``ProxyBatch/deadline``.
    package var clock: Int64?

    package init(version: UInt32 = ProxyProtocol.version, access: ProxyAccess, clock: Int64? = nil) {
        (self.version, self.access, self.clock) = (version, access, clock)
    }

    package init(_ body: [BusValue]) throws(ProxyError) {
        guard body.count == 3, case .uint32(let version) = body[0], case .string(let name) = body[1],
            let options = body[2].options
        else { throw .types("the answer to Hello") }
        guard let access = ProxyAccess(rawValue: name) else { throw .unknown("access") }
        self.init(version: version, access: access, clock: try ProxyProtocol.time(options["clock"]))
    }

    package var body: [BusValue] {
        let options = clock.map { BusValue.options(["clock": .uint64(UInt64(max(0, $0)))]) } ?? .options([:])
        return [.uint32(version), .string(access.rawValue), options]
    }
}

/// The view that has the focus, if any, and the epoch of this focus.
package struct ProxyFocus: Hashable, Sendable {
    /// The focused view; nil while no view has the focus, or while the focused view is secure.
    package var view: UInt64?
    /// The number of the focus, which grows with each change of the focus; at least 1. If only the traits of the
    /// focused view change, the epoch stays the same.
    package var epoch: UInt64
    package var traits: TextInputTraits
    /// The view whose place this view has taken; nil for none. If that view has answered edits with `busy`, the
    /// keyboard sends them again to this view.
    package var former: UInt64?

    package init(view: UInt64?, epoch: UInt64, traits: TextInputTraits = TextInputTraits(), former: UInt64? = nil) {
        (self.view, self.epoch, self.traits, self.former) = (view, epoch, traits, former)
    }

    package init(_ body: [BusValue]) throws(ProxyError) {
        guard body.count == 3, case .objectPath(let path) = body[0], case .uint64(let epoch) = body[1],
            let options = body[2].options
        else { throw .types("the focus") }
        let view = ProxyProtocol.view(at: path)
        guard view != nil || path == "/" else { throw .unknown("view") }
        guard epoch > 0 else { throw .nonsense("epoch 0") }
        self.init(view: view, epoch: epoch, traits: try TextInputTraits(options))
        if let value = options["former"] {
            guard case .uint64(let number) = value else { throw .types("former") }
            former = number
        }
    }

    package var body: [BusValue] {
        let options = traits.entries + (former.map { [BusEntry(.string("former"), .variant(.uint64($0)))] } ?? [])
        return [
            .objectPath(view.map(ProxyProtocol.path(of:)) ?? "/"), .uint64(epoch),
            .dictionary(.string, .variant, options),
        ]
    }
}

/// A notice that a view has changed. It reports a state, not an event, so a newer notice replaces earlier ones.
package struct ProxyNotice: Hashable, Sendable {
    package var epoch: UInt64
    package var revision: UInt64
    package var changes: ProxyChanges
    package var causes: ProxyCauses
    /// The number (serial) of the keyboard's last batch that the revision includes; 0 for none.
    package var lastBatch: UInt64

    package init(epoch: UInt64, revision: UInt64, changes: ProxyChanges, causes: ProxyCauses, lastBatch: UInt64) {
        self.epoch = epoch
        self.revision = revision
        self.changes = changes
        self.causes = causes
        self.lastBatch = lastBatch
    }

    package init(_ body: [BusValue]) throws(ProxyError) {
        guard body.count == 5, case .uint64(let epoch) = body[0], case .uint64(let revision) = body[1],
            case .uint32(let changes) = body[2], case .uint32(let causes) = body[3], case .uint64(let batch) = body[4]
        else { throw .types("a notice") }
        // Ignore bits that a later version may have added.
        self.init(
            epoch: epoch, revision: revision, changes: ProxyChanges(rawValue: changes).intersection(.all),
            causes: ProxyCauses(rawValue: causes).intersection(.all), lastBatch: batch)
    }

    package var body: [BusValue] {
        [.uint64(epoch), .uint64(revision), .uint32(changes.rawValue), .uint32(causes.rawValue), .uint64(lastBatch)]
    }
}

/// The text around the caret in a revision of the document. A nil text is not the same as an empty one: `before`
/// and `after` are nil at an end of the document, and `selected` is nil without a selection.
package struct ProxyContext: Hashable, Sendable {
    /// The caret's rectangle, in root pixels.
    package struct Caret: Hashable, Sendable {
        package var x: Int32
        package var y: Int32
        package var width: Int32
        package var height: Int32

        package init(x: Int32, y: Int32, width: Int32, height: Int32) {
            (self.x, self.y, self.width, self.height) = (x, y, width, height)
        }
    }

    package var revision: UInt64
    package var before: String?
    package var selected: String?
    package var after: String?
    package var marked: ProxyMarkedText?
    package var caret: Caret?
    /// The language of the text at the caret, as a language tag; nil if unknown.
    package var language: String?
    /// The identifier of the document, which is the same in all its views; nil if unknown.
    package var identifier: String?

    package init(revision: UInt64, before: String? = nil, selected: String? = nil, after: String? = nil) {
        self.revision = revision
        self.before = before
        self.selected = selected
        self.after = after
    }

    package init(_ body: [BusValue]) throws(ProxyError) {
        guard body.count == 2, case .uint64(let revision) = body[0], let options = body[1].options else {
            throw .types("a context")
        }
        func text(_ name: String, _ limit: Int) throws(ProxyError) -> String? {
            guard let value = options[name] else { return nil }
            guard case .string(let text) = value else { throw .types(name) }
            guard text.utf8.count <= limit else { throw .tooLarge(name) }
            return text
        }
        self.init(
            revision: revision, before: try text("before", ProxyProtocol.maximumText),
            selected: try text("selected", ProxyProtocol.maximumText),
            after: try text("after", ProxyProtocol.maximumText))
        if let value = options["marked"] { marked = try ProxyMarkedText(value) }
        if let value = options["caret"] {
            guard case .structure(let fields) = value, fields.count == 4, case .int32(let x) = fields[0],
                case .int32(let y) = fields[1], case .int32(let width) = fields[2], case .int32(let height) = fields[3]
            else { throw .types("caret") }
            guard width >= 0, height >= 0 else { throw .nonsense("caret") }
            caret = Caret(x: x, y: y, width: width, height: height)
        }
        language = try text("language", ProxyProtocol.maximumName)
        identifier = try text("identifier", ProxyProtocol.maximumName)
    }

    package var body: [BusValue] {
        var entries: [BusEntry] = []
        func add(_ name: String, _ value: BusValue?) {
            if let value { entries.append(BusEntry(.string(name), .variant(value))) }
        }
        add("before", before.map { .string($0) })
        add("selected", selected.map { .string($0) })
        add("after", after.map { .string($0) })
        add("marked", marked?.value)
        add("caret", caret.map { .structure([.int32($0.x), .int32($0.y), .int32($0.width), .int32($0.height)]) })
        add("language", language.map { .string($0) })
        add("identifier", identifier.map { .string($0) })
        return [.uint64(revision), .dictionary(.string, .variant, entries)]
    }
}

/// The outcome of edits that belong together: either all of them are made, or none.
public enum TextEditStatus: UInt32, Sendable {
    /// The edits were made.
    case applied = 0
    /// The text has changed meanwhile, and the edits no longer fit it.
    case stale = 1
    /// The view does not accept such a text, or the keyboard may not edit.
    case refused = 2
    /// The editor had too many edits to handle, or another view is about to take the place of this one. No edit was
    /// made.
    case busy = 3
    /// The view has lost the focus or was closed, or its program has ended.
    case gone = 4
    /// No answer came in time. Most likely the edits were not made, but that is not certain. To make them once in any
    /// case, call ``TextDocumentProxy/resend(then:)``.
    case unknown = 5
}

/// The outcome of a batch, and the context after the batch.
package struct ProxyAnswer: Hashable, Sendable {
    package var status: TextEditStatus
    package var context: ProxyContext

    package init(status: TextEditStatus, context: ProxyContext) { (self.status, self.context) = (status, context) }

    package init(_ body: [BusValue]) throws(ProxyError) {
        guard body.count == 3, case .uint32(let code) = body[0] else { throw .types("the answer to Apply") }
        guard let status = TextEditStatus(rawValue: code), status != .unknown else { throw .unknown("status \(code)") }
        self.init(status: status, context: try ProxyContext(Array(body.dropFirst())))
    }

    package var body: [BusValue] { [.uint32(status.rawValue)] + context.body }
}
