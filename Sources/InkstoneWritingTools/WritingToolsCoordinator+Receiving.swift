import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneText

/// The replacements that a transaction makes for an engine's result. The transaction carries them, so that the
/// tracked text can be updated.
struct WritingToolsPieces: TransactionEffect {
    var run: WritingToolsCoordinator.Run
    /// The replaced parts of the engine's text, in order; ``new`` are the replacements.
    var pieces: [TrackedText.Piece]
    var new: [String]
    /// The range that the engine has named, in the text as it was sent; ``own`` is the corresponding range of the
    /// text with the engine's replacements so far.
    var sent: Range<Int>
    var own: Range<Int>
}

/// Handling of the events that engines send.
extension WritingToolsCoordinator {
    /// Handles an event of a run. Events may come in any order and at any time.
    @discardableResult
    public func receive(_ event: WritingToolsEvent, of run: Run) -> WritingToolsOutcome {
        guard let work = works[run], work.end == nil else { return .ignored }
        if session.markedText != nil || !work.waiting.isEmpty {
            guard work.waiting.count < Self.eventLimit else { return stop(run) }
            works[run]?.waiting.append(event)
            return .waiting
        }
        return handle(event, of: run)
    }

    /// Handles the events that were held back during a composition. Call when the composition has ended.
    func handleWaiting() {
        for run in works.keys.sorted(by: <) {
            let events = works[run]?.waiting ?? []
            works[run]?.waiting = []
            for event in events { _ = receive(event, of: run) }
        }
    }

    private func handle(_ event: WritingToolsEvent, of run: Run) -> WritingToolsOutcome {
        defer { delegate?.writingToolsDidUpdate(self) }
        switch event {
        case .mark(let mark): return add(mark, to: run)
        case .retract(let id): works[run]?.marks.removeAll { $0.id == id }
        case .progress(let value): works[run]?.progress = value.map { $0 > 0 ? min($0, 1) : 0 }
        case .finished(let note): end(run, .finished(note))
        case .replace(let range, let text, let isFinal):
            guard state == .noninteractive else { return replace(range, with: text, isFinal: isFinal, of: run) }
            guard isFinal else { break }
            guard works[run]?.proposals.count ?? 0 < Self.eventLimit else { return stop(run) }
            works[run]?.proposals.append((range, text))
            return .proposed
        }
        return .applied(refusedParts: 0)
    }

    private func stop(_ run: Run) -> WritingToolsOutcome {
        end(run, .failed(WritingToolsRefusal.excess.description))
        return .refused(.excess)
    }

    private func add(_ mark: WritingToolsMark, to run: Run) -> WritingToolsOutcome {
        guard let work = works[run] else { return .ignored }
        let tracked = work.tracked
        // The earlier mark with the same identifier stays unless the new one is accepted.
        var marks = work.marks.filter { $0.id != mark.id }
        guard marks.count < Self.eventLimit else { return stop(run) }
        let range = mark.range.lowerBound.value..<mark.range.upperBound.value
        switch tracked.ownRange(of: range) {
        case .failure(let refusal): return .refused(refusal)
        case .success(let own):
            // If the length has changed, the engine has replaced text in the range since the text was sent to it. The
            // mark refers to the old text, so refuse it.
            guard own.count == range.count, let place = tracked.place(of: own) else { return .refused(.changed) }
            var mark = mark
            mark.range = UTF16Offset(place.lowerBound)..<UTF16Offset(place.upperBound)
            let index = marks.firstIndex { mark.range.lowerBound < $0.range.lowerBound } ?? marks.count
            marks.insert(mark, at: index)
            works[run]?.marks = marks
            return .applied(refusedParts: 0)
        }
    }

    /// Replaces a marked part of the text by a suggestion. A composition is ended first, and its text kept.
    @discardableResult
    public func replaceMark(_ id: Int, of run: Run, with text: String) -> WritingToolsOutcome {
        guard session.options.isEditable else { return .refused(.notEditable) }
        session.endComposition()
        guard let mark = works[run]?.marks.first(where: { $0.id == id }) else { return .refused(.changed) }
        let changes = session.state.keepingCells(
            TextChangeSet(
                replacing: mark.range, with: Rope(session.state.withOwnLineEnds(text)), in: session.store.text))
        var transaction = Transaction(
            on: session.store, changes, origin: .writingTool, undo: .group(group), view: session.id)
        transaction.restyling = session.store.styledText.restyling(keepingReplaced: changes)
        let made = make(transaction)
        return made == nil ? .refused(.changed) : .applied(refusedParts: 0)
    }

    /// Replaces a range of a run's context by a text, except for parts that the user has changed or that are protected:
    /// see ``TokenDifference``. If words move from one part to another, all parts are replaced or none.
    func replace(
        _ range: Range<UTF16Offset>, with text: WritingToolsText, isFinal: Bool, of run: Run
    ) -> WritingToolsOutcome {
        guard let work = works[run] else { return .ignored }
        guard session.options.isEditable else { return .refused(.notEditable) }
        let sent = range.lowerBound.value..<range.upperBound.value
        let own: Range<Int>
        switch work.tracked.ownRange(of: sent) {
        case .failure(let refusal): return .refused(refusal)
        case .success(let range): own = range
        }
        let old = work.tracked.text.string(in: UTF16Offset(own.lowerBound)..<UTF16Offset(own.upperBound))
        let difference = TokenDifference(from: old, to: text.withNewlines(as: old, in: session.state), isWhole: isFinal)
        let isRich = work.options.contains(.rich) && preferredResultOptions.contains(.rich)
        // A styled text has rows of its own.
        let hasRows = if case .rich = text { isRich } else { false }
        var plan = ReplacementPlan(work.tracked, own, old, keepingCellsOf: hasRows ? nil : session.state)
        for section in difference.sections { plan.add(section) }
        guard !plan.pieces.isEmpty else {
            return plan.refusal.map { .refused($0) } ?? .applied(refusedParts: 0)
        }
        // If words move from one section to another, as lines do in the output of `sort`, refuse the whole replacement:
        // a part of it would lose or duplicate words.
        if let refusal = plan.refusal, difference.movesWords(of: Array(old.utf16)) { return .refused(refusal) }
        var builder = TextChangeSet.Builder(over: session.store.text)
        for (piece, new) in zip(plan.pieces, plan.new) {
            builder.replace(UTF16Offset(piece.place.lowerBound)..<UTF16Offset(piece.place.upperBound), with: new)
        }
        let changes = builder.finish()
        // Let a selection grow with the text that replaces its content: the next tool, or a copy, then gets the
        // whole result.
        var transaction = Transaction(
            on: session.store, changes, origin: .writingTool, undo: .group(group),
            selection: session.selection?.isEmpty == false ? .grown : .mapped, view: session.id)
        if case .rich(let styled) = text, isRich {
            transaction.restyling = plan.restyling(as: styled, changes.changeMap, isWhole: isFinal)
        } else {
            transaction.restyling = session.store.styledText.restyling(keepingReplaced: changes)
        }
        transaction.effects = [
            WritingToolsPieces(run: run, pieces: plan.pieces, new: plan.new, sent: sent, own: own)
        ]
        guard make(transaction) != nil else { return .refused(.changed) }
        return .applied(refusedParts: plan.refused)
    }
}

extension WritingToolsText {
    /// Returns a plain text with line ends like those of another text, and a rich text unchanged. Engines write LF. If
    /// the other text has CR LF line ends, a line that both texts contain gets the line end of the other text. A new
    /// line then gets the line end of the line before it. If the other text has no line ends, or the document's are CR,
    /// all line ends become the document's. O(n) for n bytes.
    fileprivate func withNewlines(as old: String, in state: EditorState) -> String {
        guard case .plain(let string) = self else { return string }
        let hasNone = !old.utf8.contains { $0 == 0x0a || $0 == 0x0d }
        if state.newline == "\r" || state.newline != "\n" && hasNone { return state.withOwnLineEnds(string) }
        guard old.utf8.contains(0x0d) else { return string }
        func lines(_ text: String) -> [ArraySlice<UInt8>] {
            Array(text.utf8).split(separator: 0x0a, omittingEmptySubsequences: false)
        }
        func words(_ line: ArraySlice<UInt8>) -> [UInt8] { line.filter { $0 != 0x0d } }
        // Leave out the part after the last line end, because it has no line end of its own.
        let before = lines(old).dropLast().map { (words: words($0), isWindows: $0.last == 0x0d) }
        let after = lines(string)
        let count = after.count - 1
        let keys = after.map(words)
        var head = 0
        while head < min(count, before.count), keys[head] == before[head].words { head += 1 }
        var tail = 0
        while tail < min(count, before.count) - head, keys[count - 1 - tail] == before[before.count - 1 - tail].words {
            tail += 1
        }
        let moved = Dictionary(
            before[head..<before.count - tail].lazy.filter { !$0.words.isEmpty }.map { ($0.words, $0.isWindows) },
            uniquingKeysWith: { first, _ in first })
        var result: [UInt8] = []
        var isWindows = before.first?.isWindows ?? false
        for (index, line) in after.enumerated() {
            result += line
            guard index < count else { break }
            if index < head {
                isWindows = before[index].isWindows
            } else if index >= count - tail {
                isWindows = before[index - count + before.count].isWindows
            } else if let known = moved[keys[index]] {
                isWindows = known
            }
            result += isWindows && line.last != 0x0d ? [0x0d, 0x0a] : [0x0a]
        }
        return String(decoding: result, as: UTF8.self)
    }
}

/// The replacements to make in the document for the difference between an engine's text and the old one.
private struct ReplacementPlan {
    private let tracked: TrackedText
    private let own: Range<Int>
    private let old: [UInt16]
    /// The state whose table cells keep their borders; nil if the new text has rows of its own.
    private let state: EditorState?
    private(set) var pieces: [TrackedText.Piece] = []
    private(set) var new: [String] = []
    /// The offset of each piece's replacement in the whole new text; nil if the replacement is not a part of that
    /// text.
    private var starts: [Int?] = []
    /// The number of parts of the replacement that are refused, and the reason for the last one.
    private(set) var refused = 0
    private(set) var refusal: WritingToolsRefusal?

    init(_ tracked: TrackedText, _ own: Range<Int>, _ old: String, keepingCellsOf state: EditorState?) {
        (self.tracked, self.own, self.old, self.state) = (tracked, own, Array(old.utf16), state)
    }

    /// Adds a differing section. It is split around attachments, which are kept, because no engine could restore
    /// them.
    mutating func add(_ section: TokenDifference.Section) {
        let attachments = section.old.filter { old[$0] == 0xfffc }
        let text = String(String.UnicodeScalarView(section.new.unicodeScalars.filter { $0 != "\u{fffc}" }))
        var (low, rest, start) = (section.old.lowerBound, text, text == section.new ? section.newStart : nil as Int?)
        for end in attachments + [section.old.upperBound] {
            if low < end || !rest.isEmpty {
                add(own.lowerBound + low..<own.lowerBound + end, rest, start)
                (rest, start) = ("", nil)
            }
            low = end + 1
        }
    }

    private mutating func add(_ range: Range<Int>, _ text: String, _ start: Int?) {
        let isProtected = tracked.protected.contains {
            range.isEmpty ? $0.lowerBound < range.lowerBound && range.lowerBound < $0.upperBound : $0.overlaps(range)
        }
        guard !isProtected, let place = tracked.place(of: range) else {
            refused += 1
            refusal = isProtected ? .protected : .changed
            return
        }
        let replaced = UTF16Offset(place.lowerBound)..<UTF16Offset(place.upperBound)
        let parts = state?.replacementsKeepingCells(replaced, by: Rope(text)) ?? [(replaced, Rope(text))]
        for (part, text) in parts {
            // The line end behind a row that is deleted as a whole may not be in the engine's text: leave it.
            let part = part.clamped(to: replaced)
            let length = text.metrics.utf16
            if part.isEmpty, length == 0 { continue }
            let low = range.lowerBound + part.lowerBound.value - place.lowerBound
            pieces.append(
                TrackedText.Piece(
                    own: low..<low + part.length(), place: part.lowerBound.value..<part.upperBound.value, length: length
                ))
            new.append(text.string(in: text.utf16Range))
            starts.append(parts.count == 1 && part == replaced ? start : nil)
        }
    }

    /// Returns the attribute changes for the new text: for all of it if it is complete and no part was refused or has
    /// attachments, otherwise for the inserted parts.
    func restyling(as text: StyledText, _ map: TextChangeMap, isWhole: Bool) -> Restyling {
        var restyling = Restyling()
        let length = text.rope.metrics.utf16
        if isWhole, refused == 0, let place = tracked.place(of: own), starts.allSatisfy({ $0 != nil }) {
            let start = map.map(UTF16Offset(place.lowerBound), bias: .upstream)
            restyling.set(text.attributeRuns, in: start..<start + length)
            return restyling
        }
        guard map.count == starts.count else { return restyling }
        for (section, start) in zip(map, starts) {
            guard let start, section.inserted.utf16 > 0 else { continue }
            let part = UTF16Offset(start)..<UTF16Offset(start + section.inserted.utf16)
            restyling.set(text.slice(part).attributeRuns, in: section.newRange)
        }
        return restyling
    }
}
