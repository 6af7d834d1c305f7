import InkstoneBase
import InkstoneEditing
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneWritingTools

/// Random documents, edits and engine events in any order, compared with a model that identifies each character.
@Suite(.timeLimit(.minutes(5))) struct CoordinatorModelTests {
    /// A UTF-16 unit of a document or of an engine's text.
    private struct Cell: Equatable {
        var id: Int
        var unit: UInt16
        /// The range of the text as it was sent that the cell stands for.
        var origin = 0..<0
    }

    private struct Model {
        var document: [Cell]
        var nextID = 0

        init(_ text: String) {
            document = []
            document = make(text)
        }

        mutating func make(_ text: String) -> [Cell] {
            text.utf16.map {
                nextID += 1
                return Cell(id: nextID, unit: $0)
            }
        }

        var text: String { String(decoding: document.map(\.unit), as: UTF16.self) }

        func index(of cell: Cell) -> Int? { document.firstIndex { $0.id == cell.id } }
    }

    private struct ModelRun {
        var own: [Cell]
        var count: Int
        var entries: [Range<Int>] = []
        var isOver = false

        /// The place of a part of the engine's text in the document, by its cells.
        func place(of part: Range<Int>, in model: Model) -> Range<Int>? {
            if part.isEmpty {
                let before = part.lowerBound > 0 ? model.index(of: own[part.lowerBound - 1]) : nil
                let after = part.lowerBound < own.count ? model.index(of: own[part.lowerBound]) : nil
                switch (before, after) {
                case (let before?, let after?): return before + 1 == after ? after..<after : nil
                case (let before?, nil): return before + 1..<before + 1
                case (nil, let after?): return after..<after
                case (nil, nil): return nil
                }
            }
            let places = own[part].map { model.index(of: $0) }
            guard let first = places[0], places.enumerated().allSatisfy({ $1 == first + $0 }) else { return nil }
            return first..<first + part.count
        }

        /// Puts a text in place of a range of the text as it was sent, as far as its cells are where they were.
        mutating func replace(_ sent: Range<Int>, with new: String, _ isFinal: Bool, in model: inout Model) {
            guard !isOver, sent.upperBound <= count else { return }
            func isInside(_ entry: Range<Int>) -> Bool {
                sent.lowerBound <= entry.lowerBound && entry.upperBound <= sent.upperBound
            }
            for entry in entries where !isInside(entry) {
                if entry.lowerBound < sent.upperBound, sent.lowerBound < entry.upperBound { return }
                if sent.isEmpty, entry.lowerBound < sent.lowerBound, sent.lowerBound < entry.upperBound { return }
            }
            let start = own.firstIndex { $0.origin.lowerBound >= sent.lowerBound } ?? own.count
            let end = own[start...].firstIndex { !isInside($0.origin) } ?? own.count
            let old = String(decoding: own[start..<end].map(\.unit), as: UTF16.self)
            let difference = TokenDifference(from: old, to: new, isWhole: isFinal)
            let made = difference.sections.compactMap { section -> (Range<Int>, Range<Int>, String)? in
                let part = start + section.old.lowerBound..<start + section.old.upperBound
                return place(of: part, in: model).map { (part, $0, section.new) }
            }
            guard !made.isEmpty else { return }
            if made.count < difference.sections.count, difference.movesWords(of: Array(old.utf16)) { return }
            for (part, place, new) in made.reversed() {
                let cells = model.make(new)
                model.document.replaceSubrange(place, with: cells)
                own.replaceSubrange(part, with: cells)
            }
            let length = end - start + made.reduce(0) { $0 + $1.2.utf16.count - $1.0.count }
            for index in start..<start + length { own[index].origin = sent }
            entries.removeAll(where: isInside)
            entries.append(sent)
        }
    }

    private static let words = ["one", "two", "three", "o", "日本", "é", " ", "  ", ".", "\n", "don’t"]

    private static func text(_ random: inout SeededGenerator, _ most: Int) -> String {
        (0..<random.below(most + 1)).map { _ in words[random.below(words.count)] }.joined()
    }

    private static func variant(of text: String, _ random: inout SeededGenerator) -> String {
        var result = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            switch random.below(6) {
            case 0: result += Self.text(&random, 2) + " "
            case 1: break
            default: result += word + " "
            }
        }
        return result
    }

    @Test(arguments: 0..<4) func textAfterAnyOrderOfEventsIsThatOfAModel(part: Int) throws {
        let seed = SeededGenerator.seedOfThisRun &* 31 &+ UInt64(part)
        print("writing tools seed \(seed)")
        var random = SeededGenerator(seed: seed)
        var replacements = 0
        for document in 0..<60 {
            var model = Model("a" + Self.text(&random, 20))
            let start = model.text
            let session = EditingSession(TextStore(Rope(start)))
            let coordinator = WritingToolsCoordinator(session)
            var runs: [(id: WritingToolsCoordinator.Run, model: ModelRun, text: String)] = []
            var log: [String] = []
            for _ in 0..<25 {
                switch random.below(8) {
                case 0 where runs.count < 3:
                    let scope: WritingToolsScope = random.once(in: 2) ? .document : .selection
                    session.select(Selection(caret: UTF16Offset(random.below(model.document.count + 1))))
                    let context = try #require(coordinator.contexts(for: scope).first)
                    let text = context.text.rope.string(in: context.text.rope.byteRange)
                    guard !text.isEmpty else { continue }
                    let id = try coordinator.begin(WritingToolsRequest(.rewrite, on: context))
                    for index in runs.indices { runs[index].model.isOver = coordinator.end(of: runs[index].id) != nil }
                    var own = Array(model.document[context.start.value..<context.start.value + text.utf16.count])
                    for index in own.indices { own[index].origin = index..<index + 1 }
                    runs.append((id, ModelRun(own: own, count: own.count), text))
                    log.append("begin \(scope) \(text.debugDescription)")
                case 1...3:
                    let low = random.below(model.document.count + 1)
                    let high = min(model.document.count, low + random.below(6))
                    let new = Self.text(&random, 2)
                    model.document.replaceSubrange(low..<high, with: model.make(new))
                    session.store.replace(UTF16Offset(low)..<UTF16Offset(high), with: new)
                    log.append("edit \(low)..<\(high) \(new.debugDescription)")
                case 4 where random.once(in: 4):
                    coordinator.cancel()
                    for index in runs.indices { runs[index].model.isOver = true }
                    log.append("cancel")
                case 5 where random.once(in: 4):
                    guard let index = runs.indices.randomElement(using: &random) else { continue }
                    coordinator.receive(.finished(), of: runs[index].id)
                    runs[index].model.isOver = true
                    log.append("finish \(index)")
                default:
                    guard let index = runs.indices.randomElement(using: &random) else { continue }
                    let count = runs[index].model.count
                    let isWhole = random.once(in: 3)
                    let low = isWhole ? 0 : random.below(count + 1)
                    let high = isWhole ? count : min(count + 1, low + random.below(8))
                    let units = Array(runs[index].text.utf16)
                    let old = String(decoding: units[low..<min(high, count)], as: UTF16.self)
                    let new = Self.variant(of: old, &random)
                    let isFinal = !random.once(in: 4)
                    let before = session.store.version
                    coordinator.receive(
                        .replace(UTF16Offset(low)..<UTF16Offset(high), with: .plain(new), isFinal: isFinal),
                        of: runs[index].id)
                    if session.store.version > before { replacements += 1 }
                    runs[index].model.replace(low..<high, with: new, isFinal, in: &model)
                    log.append("replace \(index) \(low)..<\(high) \(new.debugDescription) \(isFinal)")
                }
                let text = session.store.text
                guard text.string(in: text.byteRange) == model.text else {
                    Issue.record(
                        "seed \(seed), document \(document) \(start.debugDescription):\n\(log.joined(separator: "\n"))\nis \(text.string(in: text.byteRange).debugDescription)\nnot \(model.text.debugDescription)"
                    )
                    return
                }
            }
            while session.store.canUndo { session.store.undo() }
            let text = session.store.text
            #expect(text.string(in: text.byteRange) == start)
        }
        #expect(replacements > 60)
    }
}
