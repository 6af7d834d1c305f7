import InkstoneBase

/// Traces as lines of JSON: one object for each record, with its time `t` in milliseconds and its `type`.
extension TraceRecord {
    /// The record as one line of JSON, without its line end.
    package var line: String {
        JSONValue.object([("t", .number((time * 1000).rounded() / 1000))] + event.members).written
    }

    /// Creates a record from a line of a trace; nil if the line is not a valid record.
    package init?(line: some StringProtocol) {
        guard let json = JSONValue(parsing: line), let time = json["t"]?.double, let event = Event(json) else {
            return nil
        }
        self.init(time: time, event)
    }

    /// Parses a trace, whose lines end with LF alone. Returns its records, and the numbers, from 1, of the lines
    /// that are not valid. Empty lines are skipped.
    package static func parse(_ text: String) -> (records: [TraceRecord], badLines: [Int]) {
        var records: [TraceRecord] = []
        var bad: [Int] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        where !line.allSatisfy(\.isWhitespace) {
            if let record = TraceRecord(line: line) { records.append(record) } else { bad.append(index + 1) }
        }
        return (records, bad)
    }
}

extension TraceRecord.Event {
    fileprivate var members: [(String, JSONValue)] {
        func type(_ name: String, _ rest: [(String, JSONValue)] = []) -> [(String, JSONValue)] {
            [("type", .string(name))] + rest
        }
        switch self {
        case .document(let text, let selection):
            return type("document", [("text", .string(text)), ("selection", selection.json)])
        case .keyBindings(let table): return type("keyBindings", table.members)
        case .key(let key): return type("key", key.members)
        case .item(let kind, let ends):
            return type("item", [("kind", .string(kind.rawValue)), ("endsComposition", .bool(ends))])
        case .selection(let range): return type("selection", [("range", range.json)])
        case .event(let event, let batch):
            return type("im", [("batch", .number(Double(batch)))] + event.members)
        case .call(let call): return type("call", call.members)
        case .spot(let rect):
            return type(
                "spot",
                [
                    (
                        "rect",
                        rect.map { .array([$0.minX, $0.minY, $0.width, $0.height].map(JSONValue.number)) } ?? .null
                    )
                ])
        case .reset: return type("reset")
        case .focus(let isFocused): return type("focus", [("focused", .bool(isFocused))])
        case .link(let isEngaged, let loss):
            return type("link", [("engaged", .bool(isEngaged))] + (loss?.members ?? [("lostAfterSilence", .null)]))
        case .method(let traits):
            return type(
                "method",
                [
                    ("returnsKeysOutOfTurn", .bool(traits.returnsKeysOutOfTurn)),
                    ("reportsQuiet", .bool(traits.reportsQuiet)),
                ])
        }
    }

    fileprivate init?(_ json: JSONValue) {
        switch json["type"]?.string {
        case "document":
            guard let text = json["text"]?.string, let range = UTF16Range(json["selection"]) else { return nil }
            self = .document(text, range)
        case "keyBindings":
            guard let table = KeyBindingTable(json) else { return nil }
            self = .keyBindings(table)
        case "key":
            guard let key = KeyEvent(json) else { return nil }
            self = .key(key)
        case "item":
            guard let kind = json["kind"]?.string.flatMap(InputItemKind.init(rawValue:)) else { return nil }
            self = .item(kind, endsComposition: json["endsComposition"]?.bool ?? true)
        case "selection":
            guard let range = UTF16Range(json["range"]) else { return nil }
            self = .selection(range)
        case "im":
            guard let event = InputMethodEvent(json) else { return nil }
            self = .event(event, batch: json["batch"]?.int ?? 0)
        case "call":
            guard let call = ClientCall(json) else { return nil }
            self = .call(call)
        case "spot":
            guard let edges = json["rect"]?.array?.compactMap(\.double), edges.count == 4 else {
                self = .spot(nil)
                return
            }
            self = .spot(RootRect(x: edges[0], y: edges[1], width: edges[2], height: edges[3]))
        case "reset": self = .reset
        case "focus": self = .focus(json["focused"]?.bool ?? false)
        case "method":
            self = .method(
                InputMethodTraits(
                    returnsKeysOutOfTurn: json["returnsKeysOutOfTurn"]?.bool ?? false,
                    reportsQuiet: json["reportsQuiet"]?.bool ?? false))
        case "link":
            self = .link(isEngaged: json["engaged"]?.bool ?? false, loss: InputMethodLoss(json))
        default: return nil
        }
    }
}

extension InputMethodLoss {
    fileprivate var members: [(String, JSONValue)] {
        [
            ("lostAfterSilence", .number((silence * 1000).rounded() / 1000)),
            ("owed", .array(owed.map { KeyTicket.json($0) })), ("keepsCleared", .bool(keepsCleared)),
            ("half", KeyTicket.json(half)),
        ]
    }

    fileprivate init?(_ json: JSONValue) {
        guard let silence = json["lostAfterSilence"]?.double else { return nil }
        self.init(
            silence: silence, owed: (json["owed"]?.array ?? []).compactMap { KeyTicket($0) },
            keepsCleared: json["keepsCleared"]?.bool ?? false, half: KeyTicket(json["half"]))
    }
}

extension KeyTicket {
    fileprivate static func json(_ ticket: KeyTicket?) -> JSONValue {
        ticket.map { .number(Double($0.rawValue)) } ?? .null
    }

    fileprivate init?(_ json: JSONValue?) {
        guard let number = json?.int else { return nil }
        self.init(rawValue: UInt64(max(0, number)))
    }
}

extension UTF16Range {
    /// The JSON value `[location, length]`; null for `notFound`.
    fileprivate var json: JSONValue {
        isNotFound ? .null : .array([.number(Double(location)), .number(Double(length))])
    }
    fileprivate init?(_ json: JSONValue?) {
        switch json {
        case .null?: self = .notFound
        case .array(let parts)?:
            guard parts.count == 2, let location = parts[0].int, let length = parts[1].int else { return nil }
            self.init(location: location, length: length)
        default: return nil
        }
    }
}

extension KeyBindingTable {
    /// The name of a predefined table, or all bindings of another table: for each, the names of the keys and then
    /// those of the commands.
    fileprivate var members: [(String, JSONValue)] {
        if let name = Self.names.first(where: { Self(named: $0) == self }) { return [("table", .string(name))] }
        return [
            (
                "bindings",
                .array(
                    bindings.map { binding in
                        .array(
                            [.string(binding.strokes.map(\.description).joined(separator: " "))]
                                + binding.commands.map { .string($0.rawValue) })
                    })
            )
        ]
    }

    fileprivate init?(_ json: JSONValue) {
        if let name = json["table"]?.string {
            self.init(named: name)
            return
        }
        guard let rows = json["bindings"]?.array else { return nil }
        var table = KeyBindingTable()
        for row in rows {
            guard let names = row.array?.map(\.string), let keys = names.first?.flatMap({ $0 }) else { return nil }
            let strokes = keys.split(separator: " ").compactMap { KeyStroke($0) }
            let commands = names.dropFirst().compactMap { $0.map { EditCommand($0) } }
            guard strokes.count == keys.split(separator: " ").count, commands.count == names.count - 1 else {
                return nil
            }
            table.add(KeyBinding(strokes, commands))
        }
        self = table
    }
}

extension KeyEvent {
    fileprivate var members: [(String, JSONValue)] {
        let phase =
            switch phase {
            case .down: "down"
            case .repeat: "repeat"
            case .up: "up"
            }
        return [
            ("phase", .string(phase)), ("keycode", .number(Double(keycode))),
            ("keysym", .number(Double(keysym.rawValue))), ("latin", .number(Double(latinKeysym.rawValue))),
            ("characters", .string(characters)), ("modifiers", .number(Double(modifiers.rawValue))),
            ("timestamp", .number(Double(timestamp))),
        ]
    }

    fileprivate init?(_ json: JSONValue) {
        guard let keysym = json["keysym"]?.int.flatMap(UInt32.init(exactly:)) else { return nil }
        let phase: Phase =
            switch json["phase"]?.string {
            case "repeat": .repeat
            case "up": .up
            default: .down
            }
        self.init(
            phase: phase, keycode: UInt8(clamping: json["keycode"]?.int ?? 0), keysym: Keysym(rawValue: keysym),
            latinKeysym: Keysym(rawValue: UInt32(clamping: json["latin"]?.int ?? Int(keysym))),
            characters: json["characters"]?.string ?? "",
            modifiers: KeyModifiers(rawValue: UInt16(clamping: json["modifiers"]?.int ?? 0)),
            timestamp: UInt32(clamping: json["timestamp"]?.int ?? 0))
    }
}

extension InputMethodEvent {
    fileprivate var members: [(String, JSONValue)] {
        switch self {
        case .preeditStart: return [("event", .string("start"))]
        case .preeditDone: return [("event", .string("done"))]
        case .preeditDraw(let draw):
            return [
                ("event", .string("draw")), ("caret", .number(Double(draw.caret))),
                ("first", .number(Double(draw.changeFirst))), ("length", .number(Double(draw.changeLength))),
                ("text", draw.text.map(JSONValue.string) ?? .null),
                ("feedback", .array(draw.feedback.map { .number(Double($0.rawValue)) })),
            ]
        case .preeditCaret(let move):
            return [
                ("event", .string("caret")), ("direction", .number(Double(move.direction.rawValue))),
                ("position", .number(Double(move.position))), ("style", .number(Double(move.style.rawValue))),
            ]
        case .commit(let text): return [("event", .string("commit")), ("text", .string(text))]
        case .key(let key, let ticket):
            return [("event", .string("key")), ("ticket", KeyTicket.json(ticket))] + key.members
        case .resetReply(let text):
            return [("event", .string("resetReply")), ("text", text.map(JSONValue.string) ?? .null)]
        case .pause(let ticket): return Self.members("pause", ticket)
        case .quiet(let ticket): return Self.members("quiet", ticket)
        case .stamp(let stamp):
            return [
                ("event", .string("stamp")), ("key", KeyTicket.json(stamp.key)), ("half", KeyTicket.json(stamp.half)),
            ]
        }
    }

    private static func members(_ name: String, _ ticket: KeyTicket) -> [(String, JSONValue)] {
        [("event", .string(name)), ("ticket", KeyTicket.json(ticket))]
    }

    fileprivate init?(_ json: JSONValue) {
        let ticket = KeyTicket(json["ticket"])
        switch json["event"]?.string {
        case "start": self = .preeditStart
        case "done": self = .preeditDone
        case "draw":
            self = .preeditDraw(
                PreeditDraw(
                    caret: json["caret"]?.int ?? 0, changeFirst: json["first"]?.int ?? 0,
                    changeLength: json["length"]?.int ?? 0, text: json["text"]?.string,
                    feedback: (json["feedback"]?.array ?? []).map {
                        PreeditFeedback(rawValue: UInt32(clamping: $0.int ?? 0))
                    }))
        case "caret":
            self = .preeditCaret(
                PreeditCaret(
                    direction: .init(rawValue: Int32(clamping: json["direction"]?.int ?? 11)) ?? .unchanged,
                    position: json["position"]?.int ?? 0,
                    style: .init(rawValue: Int32(clamping: json["style"]?.int ?? 1)) ?? .primary))
        case "commit": self = .commit(json["text"]?.string ?? "")
        case "key":
            guard let key = KeyEvent(json) else { return nil }
            self = .key(key, ticket)
        case "resetReply": self = .resetReply(json["text"]?.string)
        case "stamp": self = .stamp(AnswerStamp(key: KeyTicket(json["key"]), half: KeyTicket(json["half"])))
        case let name?:
            guard let ticket else { return nil }
            switch name {
            case "pause": self = .pause(through: ticket)
            case "quiet": self = .quiet(through: ticket)
            default: return nil
            }
        default: return nil
        }
    }
}

extension ClientCall {
    fileprivate var members: [(String, JSONValue)] {
        switch self {
        case .insertText(let text, let range):
            return [("call", .string("insertText")), ("text", .string(text)), ("replacementRange", range.json)]
        case .setMarkedText(let text, let selected, let range):
            let clauses = text.clauses.map {
                JSONValue.array([
                    .number(Double($0.range.lowerBound.value)), .number(Double($0.range.upperBound.value)),
                    .string($0.kind.rawValue),
                ])
            }
            return [
                ("call", .string("setMarkedText")), ("text", .string(text.string)), ("selectedRange", selected.json),
                ("replacementRange", range.json), ("clauses", .array(clauses)),
                ("caret", text.caret.map { .number(Double($0.value)) } ?? .null),
                ("caretHidden", .bool(text.isCaretHidden)),
            ]
        case .unmarkText: return [("call", .string("unmarkText"))]
        case .doCommand(let command): return [("call", .string("doCommand")), ("command", .string(command.rawValue))]
        case .compositionDidBegin: return [("call", .string("compositionDidBegin"))]
        case .compositionDidEnd: return [("call", .string("compositionDidEnd"))]
        case .replaceText(let range, let text):
            return [("call", .string("replaceText")), ("range", range.json), ("text", .string(text))]
        }
    }

    fileprivate init?(_ json: JSONValue) {
        let text = json["text"]?.string ?? ""
        switch json["call"]?.string {
        case "insertText": self = .insertText(text, UTF16Range(json["replacementRange"]) ?? .notFound)
        case "setMarkedText":
            let clauses = (json["clauses"]?.array ?? []).compactMap { clause -> MarkedClause? in
                guard let parts = clause.array, parts.count == 3, let start = parts[0].int, let end = parts[1].int,
                    start <= end, let kind = parts[2].string.flatMap(MarkedClauseKind.init(rawValue:))
                else { return nil }
                return MarkedClause(range: UTF16Offset(start)..<UTF16Offset(end), kind: kind)
            }
            self = .setMarkedText(
                InputText(
                    text, clauses: clauses, caret: json["caret"]?.int.map { UTF16Offset($0) },
                    isCaretHidden: json["caretHidden"]?.bool ?? false),
                UTF16Range(json["selectedRange"]) ?? .notFound, UTF16Range(json["replacementRange"]) ?? .notFound)
        case "unmarkText": self = .unmarkText
        case "doCommand": self = .doCommand(EditCommand(json["command"]?.string ?? ""))
        case "compositionDidBegin": self = .compositionDidBegin
        case "compositionDidEnd": self = .compositionDidEnd
        case "replaceText":
            guard let range = UTF16Range(json["range"]) else { return nil }
            self = .replaceText(range, text)
        default: return nil
        }
    }
}
