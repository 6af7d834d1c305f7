import InkstoneBus

/// An operation of a batch. Counts are of grapheme clusters.
package enum ProxyOperation: Hashable, Sendable {
    case insert(String)
    /// Deletes the marked text, or the selection, or else clusters before the caret. Directly after an
    /// ``adjust(_:)`` forwards, deletes no more clusters than the caret has moved over. So the two operations
    /// together delete forwards, and delete nothing at the end of the document.
    case deleteBackward(UInt32)
    case deleteForward(UInt32)
    /// Moves the caret forwards, or backwards if the count is negative. Stops at the ends of the document. If text
    /// is selected, the caret moves only to an end of the selection.
    case adjust(Int32)
    /// Shows a text as marked text, in place of the selection or of the present marked text, or at the caret. An
    /// empty text only removes what it replaces.
    case setMarked(ProxyMarkedText)
    case unmark
    /// Replaces the text before the caret. The batch fails if that text is not `expected`, or if text is selected
    /// or marked.
    case replaceBefore(expected: String, String)
    case replaceSelection(expected: String, String)
    case replaceAfter(expected: String, String)
    /// Selects clusters after the caret, or before it if the count is negative. If text is selected, the caret
    /// first moves to the end of the selection.
    case select(Int32)

    package init(_ value: BusValue) throws(ProxyError) {
        guard case .structure(let fields) = value, fields.count == 2, case .uint32(let code) = fields[0],
            case .variant(let argument) = fields[1]
        else { throw .types("an operation") }
        switch (code, argument) {
        case (0, .string(let text)): self = .insert(text)
        case (1, .uint32(let count)): self = .deleteBackward(count)
        case (2, .uint32(let count)): self = .deleteForward(count)
        case (3, .int32(let count)): self = .adjust(count)
        case (4, _): self = .setMarked(try ProxyMarkedText(argument))
        case (5, .byte): self = .unmark
        case (6, _):
            let texts = try Self.pair(argument)
            self = .replaceBefore(expected: texts.0, texts.1)
        case (7, _):
            let texts = try Self.pair(argument)
            self = .replaceSelection(expected: texts.0, texts.1)
        case (8, _):
            let texts = try Self.pair(argument)
            self = .replaceAfter(expected: texts.0, texts.1)
        case (9, .int32(let count)): self = .select(count)
        case (0...9, _): throw .types("operation \(code)")
        default: throw .unknown("operation \(code)")
        }
    }

    private static func pair(_ value: BusValue) throws(ProxyError) -> (String, String) {
        guard case .structure(let fields) = value, fields.count == 2, case .string(let first) = fields[0],
            case .string(let second) = fields[1]
        else { throw .types("a replacement") }
        return (first, second)
    }

    package var value: BusValue {
        let (code, argument): (UInt32, BusValue) =
            switch self {
            case .insert(let text): (0, .string(text))
            case .deleteBackward(let count): (1, .uint32(count))
            case .deleteForward(let count): (2, .uint32(count))
            case .adjust(let count): (3, .int32(count))
            case .setMarked(let text): (4, text.value)
            case .unmark: (5, .byte(0))
            case .replaceBefore(let expected, let text): (6, .structure([.string(expected), .string(text)]))
            case .replaceSelection(let expected, let text): (7, .structure([.string(expected), .string(text)]))
            case .replaceAfter(let expected, let text): (8, .structure([.string(expected), .string(text)]))
            case .select(let count): (9, .int32(count))
            }
        return .structure([.uint32(code), .variant(argument)])
    }

    /// The texts of the operation: the new ones, and those that the document is expected to have.
    private var texts: (new: [String], expected: [String]) {
        switch self {
        case .insert(let text): ([text], [])
        case .setMarked(let text): ([text.before, text.selected, text.after], [])
        case .replaceBefore(let expected, let text), .replaceSelection(let expected, let text),
            .replaceAfter(let expected, let text):
            ([text], [expected])
        case .deleteBackward, .deleteForward, .adjust, .unmark, .select: ([], [])
        }
    }

    /// The number of bytes of all texts in the operation, in UTF-8.
    var byteCount: Int { (texts.new + texts.expected).reduce(0) { $0 + $1.utf8.count } }

    /// The number of clusters that the operation deletes, selects or moves over.
    fileprivate var clusterCount: Int {
        switch self {
        case .deleteBackward(let count), .deleteForward(let count): Int(count)
        case .adjust(let count), .select(let count): Int(count.magnitude)
        default: 0
        }
    }

    /// Checks the operation, and subtracts the bytes of its texts from `left`.
    fileprivate func check(_ left: inout Int) throws(ProxyError) {
        switch self {
        case .deleteBackward(let count), .deleteForward(let count):
            guard count > 0 else { throw .nonsense("a deletion of nothing") }
            guard count <= ProxyProtocol.maximumCount else { throw .tooLarge("a count") }
        case .adjust(let count), .select(let count):
            guard count.magnitude <= ProxyProtocol.maximumCount else { throw .tooLarge("a count") }
        case .replaceBefore(expected: "", ""), .replaceAfter(expected: "", ""), .insert(""):
            throw .nonsense("a change of nothing")
        default: break
        }
        for text in texts.new + texts.expected {
            left -= text.utf8.count
            guard left >= 0 else { throw .tooLarge("the text of a batch") }
        }
        for text in texts.new where !text.unicodeScalars.allSatisfy(Self.isTypable) {
            throw .nonsense("a text with control characters")
        }
    }

    /// Whether a new text may contain a scalar: any but control characters, of which only tab and newline are
    /// allowed.
    private static func isTypable(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\t" || scalar == "\n" || scalar.properties.generalCategory != .control
    }
}

/// Marked text in three parts: the text before its selection, the selection, and the text after.
package struct ProxyMarkedText: Hashable, Sendable {
    package var before: String
    package var selected: String
    package var after: String

    package init(before: String, selected: String, after: String) {
        (self.before, self.selected, self.after) = (before, selected, after)
    }

    package init(_ value: BusValue) throws(ProxyError) {
        guard case .structure(let fields) = value, fields.count == 3, case .string(let before) = fields[0],
            case .string(let selected) = fields[1], case .string(let after) = fields[2]
        else { throw .types("marked text") }
        self.init(before: before, selected: selected, after: after)
    }

    package var value: BusValue { .structure([.string(before), .string(selected), .string(after)]) }
    package var text: String { before + selected + after }
}

/// Edits that are made together or not at all: one transaction, one undo step, one answer.
package struct ProxyBatch: Hashable, Sendable {
    /// The position at which the operations of a batch begin.
    package enum Mode: UInt32, Sendable {
        /// The user's present caret. The base revision is ignored.
        case now = 0
        /// The user's present caret, but only if the base revision is still the present one. Otherwise the batch is
        /// stale.
        case exact = 1
        /// The caret of the last revision that was reported to the keyboard, moved by the changes since.
        case follow = 2
    }

    /// The number (epoch) of the focus that the edits are meant for; at least 1.
    package var epoch: UInt64
    /// The number of the batch; each batch of a keyboard has a higher number than the one before. A batch without a
    /// higher number counts as a repetition of the last one: it changes nothing, and gets the same answer.
    package var serial: UInt64
    /// The revision of the text that the edits are meant for.
    package var base: UInt64
    package var mode: Mode
    package var operations: [ProxyOperation]
    /// The time after which the batch must not be applied, because the keyboard no longer waits for an answer. In
    /// milliseconds of the machine's monotonic clock; nil for none. An editor that respects deadlines has said so
    /// in its answer to Hello.
    package var deadline: Int64?

    package init(
        epoch: UInt64, serial: UInt64, base: UInt64, mode: Mode, operations: [ProxyOperation], deadline: Int64? = nil
    ) {
        self.deadline = deadline
        self.epoch = epoch
        self.serial = serial
        self.base = base
        self.mode = mode
        self.operations = operations
    }

    package init(_ body: [BusValue]) throws(ProxyError) {
        guard body.count == 5 || body.count == 6, case .uint64(let epoch) = body[0], case .uint64(let serial) = body[1],
            case .uint64(let base) = body[2], case .uint32(let code) = body[3], case .array(_, let values) = body[4]
        else { throw .types("Apply") }
        guard let mode = Mode(rawValue: code) else { throw .unknown("mode \(code)") }
        guard values.count <= ProxyProtocol.maximumOperations else { throw .tooLarge("a batch") }
        var operations: [ProxyOperation] = []
        for value in values { operations.append(try ProxyOperation(value)) }
        self.init(epoch: epoch, serial: serial, base: base, mode: mode, operations: operations)
        if body.count == 6 {
            guard let options = body[5].options else { throw .types("Apply") }
            deadline = try ProxyProtocol.time(options["until"])
        }
        try check()
    }

    /// Checks the limits of the batch and the values of its operations.
    package func check() throws(ProxyError) {
        guard epoch > 0, serial > 0 else { throw .nonsense("epoch or serial 0") }
        guard !operations.isEmpty else { throw .nonsense("an empty batch") }
        guard operations.count <= ProxyProtocol.maximumOperations else { throw .tooLarge("a batch") }
        var left = ProxyProtocol.maximumText
        for operation in operations { try operation.check(&left) }
        let clusters = operations.reduce(0) { $0 + $1.clusterCount }
        guard clusters <= 2 * Int(ProxyProtocol.maximumCount) else { throw .tooLarge("a batch") }
    }

    package var body: [BusValue] {
        let batch: [BusValue] = [
            .uint64(epoch), .uint64(serial), .uint64(base), .uint32(mode.rawValue),
            .array(.structure([.uint32, .variant]), operations.map(\.value)),
        ]
        return batch + (deadline.map { [.options(["until": .uint64(UInt64(max(0, $0)))])] } ?? [])
    }
}
