import Glibc
import Testing

@testable import inkstone_editor

/// The states of the editor's files and windows: every state with every event, and the diagram of them.
@Suite(.timeLimit(.minutes(5))) struct WindowStateTests {
    /// The transitions in the diagram of the page *How the editor works*, one per line, without indentation.
    private func arrows(in diagram: String) throws -> Set<String> {
        var folder = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        folder += "/Sources/Inkstone/Inkstone.docc/TheEditor.md"
        let file = try #require(fopen(folder, "r"))
        defer { fclose(file) }
        var text: [UInt8] = []
        while case let byte = getc(file), byte != EOF { text.append(UInt8(truncatingIfNeeded: byte)) }
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "%% \(diagram)"), "no diagram of \(diagram)")
        let block = lines[start...].dropFirst().prefix { $0 != "```" }
        return Set(block.filter { $0.contains("-->") && !$0.contains("[*]") }.map { String($0.drop { $0 == " " }) })
    }

    @Test func theDiagramOfTheFileHasTheTransitionsOfItsType() throws {
        let arrows = FileState.allCases.flatMap { state in
            FileState.Event.allCases.compactMap { event in
                state.after(event).map { "\(state.rawValue) --> \($0.rawValue): \(event.rawValue)" }
            }
        }
        let shown = try self.arrows(in: "FileState")
        #expect(shown.symmetricDifference(arrows) == [], "arrows that are in one of the two alone")
    }

    @Test func theDiagramOfTheWindowHasTheTransitionsOfItsType() throws {
        let arrows = WindowState.allCases.flatMap { state in
            WindowState.Event.allCases.compactMap { event in
                state.after(event).map { step in
                    let effect = step.effect.map { " / \($0.rawValue)" } ?? ""
                    return "\(state.rawValue) --> \(step.state.rawValue): \(event.rawValue)\(effect)"
                }
            }
        }
        let shown = try self.arrows(in: "WindowState")
        #expect(shown.symmetricDifference(arrows) == [], "arrows that are in one of the two alone")
    }

    /// Each row is a state, each column an event in the order of `FileState.Event`: the first letters of the next state, or a dash.
    @Test func everyFileStateTakesTheseEventsAndNoOthers() {
        let table: [FileState: String] = [
            .untitled: "op -- -- -- -- -- -- sa -- -- --",
            .opening: "op re -- rd un rd fa -- -- -- --",
            .reading: "op -- rd -- un rd fa -- -- -- --",
            .ready: "op -- -- -- -- -- -- sa -- -- --",
            .saving: "-- -- -- -- -- -- -- -- rd rd un",
            .failed: "op -- -- -- -- -- -- -- -- -- --",
        ]
        let names: [FileState: String] = [
            .untitled: "un", .opening: "op", .reading: "re", .ready: "rd", .saving: "sa", .failed: "fa",
        ]
        for state in FileState.allCases {
            let row = FileState.Event.allCases.map { state.after($0).flatMap { names[$0] } ?? "--" }
            #expect(row.joined(separator: " ") == table[state], "\(state)")
        }
    }

    @Test func everyWindowStateTakesTheseEventsAndNoOthers() {
        // Columns: close unchanged changed busy ask answer proceed save discard release cancel saved saveFailed end
        let table: [WindowState: String] = [
            .open: "ci -- -- -- as -- -- -- -- -- -- -- -- cd",
            .asking: "ci -- -- -- as op op ci cd op op -- -- cd",
            .closing: "ci cd co ci ob -- -- -- -- op -- ci op cd",
            .confirming: "ci cd co co co op ci ci cd op op co -- cd",
            .obstructed: "ci cd co ob ob op ci -- -- op -- ob as cd",
            .closed: "-- -- -- -- -- -- -- -- -- -- -- -- -- --",
        ]
        let names: [WindowState: String] = [
            .open: "op", .asking: "as", .closing: "ci", .confirming: "co", .obstructed: "ob", .closed: "cd",
        ]
        for state in WindowState.allCases {
            let row = WindowState.Event.allCases.map { state.after($0).flatMap { names[$0.state] } ?? "--" }
            #expect(row.joined(separator: " ") == table[state], "\(state)")
        }
    }

    /// Returns the effects of a sequence of events, starting from an open window.
    private func effects(_ events: WindowState.Event...) -> [WindowState.Effect] {
        var state = WindowState.open
        return events.compactMap { state.handle($0) }
    }

    @Test func closingTwiceTakesTheWindowAwayOnce() {
        #expect(effects(.close, .close, .unchanged, .unchanged) == [.waitForKeys, .waitForKeys, .remove])
        #expect(effects(.close, .unchanged, .close, .unchanged, .end, .discard) == [.waitForKeys, .remove])
        #expect(
            effects(.close, .busy, .close, .busy, .saved, .unchanged, .unchanged)
                == [.waitForKeys, .waitForSave, .waitForKeys, .waitForSave, .waitForKeys, .remove])
        #expect(effects(.close, .changed, .discard, .discard, .cancel) == [.waitForKeys, .askAboutChanges, .remove])
    }

    @Test func aWindowThatIsToBeClosedIsNotForgotten() {
        // Quitting requests a close of a window that shows a question already.
        #expect(
            effects(.close, .changed, .close, .changed, .discard)
                == [.waitForKeys, .askAboutChanges, .waitForKeys, .askAboutChanges, .remove])
        #expect(
            effects(.close, .changed, .save, .saveFailed, .close, .changed, .cancel)
                == [.waitForKeys, .askAboutChanges, .save, .stay, .waitForKeys, .askAboutChanges, .stay])
        // Without a requested close, the end of a save has no effect on the window.
        #expect(effects(.saved, .saveFailed, .unchanged, .changed, .busy) == [])
    }

    @Test func aSaveThatEndsDuringAQuestionClosesNothing() {
        #expect(effects(.ask, .saved, .unchanged) == [])
        #expect(effects(.ask, .busy, .changed, .answer) == [.stay])
    }

    @Test func aCloseOutlivesAQuestionAboutItsSaveAlone() {
        let asked: [WindowState.Event] = [.close, .changed, .save, .ask]
        func effects(after answer: WindowState.Event...) -> [WindowState.Effect] {
            var state = WindowState.open
            return (asked + answer).compactMap { state.handle($0) }.suffix(from: 3).map(\.self)
        }
        #expect(effects(after: .proceed, .saved, .unchanged) == [.waitForKeys, .remove])
        #expect(effects(after: .answer, .saved, .unchanged) == [.stay])
        // The user's answer abandons the save, so the question disappears.
        #expect(effects(after: .saveFailed, .proceed, .saved) == [.stay, .stay])
    }

    /// The abandoned save may be one of before, such as one with a prompt for a file name.
    @Test func theQuestionAboutChangesOutlivesASaveThatIsGivenUp() {
        #expect(
            effects(.close, .changed, .saveFailed, .release) == [.waitForKeys, .askAboutChanges, .quitFurther])
        #expect(effects(.close, .ask, .changed, .saveFailed, .cancel) == [.waitForKeys, .askAboutChanges, .stay])
    }

    @Test func aWindowThatIsReleasedStaysUntilTheQuitHasAllAnswers() {
        #expect(effects(.close, .changed, .release) == [.waitForKeys, .askAboutChanges, .quitFurther])
        #expect(effects(.close, .release, .saved, .unchanged) == [.waitForKeys, .quitFurther])
    }

    /// Otherwise a quit that the user has abandoned would continue when another window is closed.
    @Test func everyWayBackToTheTextEndsAQuit() {
        for state in WindowState.allCases {
            for event in WindowState.Event.allCases where event != .release {
                guard let step = state.after(event), step.state == .open else { continue }
                #expect(step.effect == .stay, "\(state), \(event)")
            }
        }
        #expect(effects(.close, .ask, .answer, .changed) == [.waitForKeys, .stay])
    }

    @Test func noStateIsWithoutAWayOut() {
        for state in WindowState.allCases where state != .closed {
            #expect(state.after(.end) == .init(state: .closed, effect: .removeKeepingJournal))
        }
    }
}
