import InkstoneBase
import InkstoneEditing
import InkstoneTesting
import Testing

@testable import InkstoneBus
@testable import InkstoneProxy
@testable import InkstoneProxyServer

/// Batches that nobody waits for any more, and questions that come too soon.
extension ProxyServerTests {
    @Test func aBatchThatWasAnsweredByNobodyIsNotMadeLater() throws {
        let proxy = try proxy()
        host.isHolding = true
        for text in ["a", "b"] {
            proxy.insertText(text)
            proxy.flush()
        }
        try wait("the batch in the queue") { host.queue.count == 1 }
        clock.passed += 25_000
        host.release()
        #expect(host.session.text == "Hello.", "the keyboard has received no answer by now")
        try wait("the next one") { host.session.text == "Hello.b" }
    }

    @Test func aBatchIsNotMadeAfterItsDeadline() throws {
        _ = try proxy()
        let client = try stranger()
        try greet(client, as: "Late")
        let focus = try ProxyFocus(ask(client, .focus).get())
        let view = try #require(focus.view)
        func apply(_ serial: UInt64, until deadline: Int64) throws -> Result<[BusValue], BusFailure> {
            let batch = ProxyBatch(
                epoch: focus.epoch, serial: serial, base: 0, mode: .now, operations: [.insert("\(serial)")],
                deadline: deadline)
            return try ask(client, .apply(view: view, batch))
        }
        #expect(try apply(1, until: MonotonicClock.milliseconds) == .failure(.error(.noReply)))
        #expect(try ProxyAnswer(apply(2, until: MonotonicClock.milliseconds + 20_000).get()).status == .applied)
        #expect(host.session.text == "Hello.2")
    }

    @Test func anAnswerIsForAllConnectionsOfAProcess() throws {
        var questions: [ProxyProgram] = []
        var pauses: [() -> Void] = []
        server.onQuestion = { questions.append($0) }
        server.onPause = { pauses.append($1) }
        try wait("the question") { questions.count == 1 }
        let second = InputController(name: "Test", setup: BusSetup(address: bus.address))
        second.start()
        try wait("the pause", also: [second]) { pauses.count == 1 }
        server.answer(questions[0], isAllowed: false, lasts: false)
        clock.passed += 60_000
        pauses[0]()
        #expect(questions.count == 1, "who was refused is not asked about again")
    }

    @Test func aProgramThatAsksTooSoonWaitsForTheNextQuestion() throws {
        var (questions, ended): ([ProxyProgram], [String]) = ([], [])
        var pauses: [(Int64, () -> Void)] = []
        server.onQuestion = { questions.append($0) }
        server.onQuestionEnd = { ended.append($0.name) }
        server.onPause = { pauses.append(($0, $1)) }
        try wait("the first question") { questions.count == 1 }
        server.answer(questions[0], isAllowed: false, lasts: false)
        let second = InputController(name: "Second", setup: BusSetup(address: bus.address))
        second.start()
        try wait("the pause", also: [second]) { pauses.count == 1 }
        #expect(questions.count == 1 && (1...60_000).contains(pauses[0].0))
        clock.passed += 60_000
        pauses[0].1()
        #expect(questions.map(\.name) == ["Test", "Second"])
        let third = InputController(name: "Third", setup: BusSetup(address: bus.address))
        third.start()
        try wait("the next pause", also: [second, third]) { pauses.count == 2 }
        server.answer(questions[1], isAllowed: true, lasts: false)
        #expect(questions.map(\.name) == ["Test", "Second", "Third"], "who has allowed one may be asked at once")
        try wait("the access", also: [second, third]) { second.hasFullAccess }
        #expect(!third.hasFullAccess && !keyboard.hasFullAccess, "allowed once is for one process")
        server.answer(questions[2], isAllowed: false, lasts: false)
        pauses[1].1()
        #expect(questions.count == 3 && pauses.count == 2, "nobody waits")
        let fourth = InputController(name: "Fourth", setup: BusSetup(address: bus.address))
        fourth.start()
        try wait("the last pause", also: [second, third, fourth]) { pauses.count == 3 }
        server.permissions.revoke(path: questions[0].path)
        #expect(questions.last?.name == "Fourth", "a revoked program may be asked about again")
        try wait("the end of access", also: [second, third, fourth]) { !second.hasFullAccess }
    }
}
