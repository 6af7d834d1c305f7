import InkstoneProxy
import Testing

@testable import inkstone_keyboard

/// The edits of the on-screen keyboard that are not made yet.
@Suite(.timeLimit(.minutes(5))) struct EditQueueTests {
    private func deeds(_ text: String) -> [Deed] { [.insert(text)] }

    /// The editor shows styles instead of their source, and the new view has the focus only a moment later.
    @Test func keysPressedWhileOneViewTakesTheOthersPlaceAreForThatView() {
        var queue = EditQueue<String>()
        queue.add("a")
        let number = queue.begin()
        #expect(queue.awaitsSuccessor && queue.next == nil, "no reply yet")
        queue.didReply(isBusy: true)
        queue.add("b", substitute: deeds("b"))
        #expect(queue.awaitsSuccessor)
        let isSentAgain = queue.retry(number)
        #expect(isSentAgain && queue.awaitsSuccessor)
        // The successor gets both.
        var made: [String] = []
        while let next = queue.next {
            made.append(next)
            _ = queue.begin()
            queue.didReply(isBusy: false)
        }
        #expect(made == ["a", "b"] && queue.isEmpty && !queue.awaitsSuccessor)
    }

    @Test func onlyEditsThatMayBeMadeLaterAreSentAgain() {
        let all: [TextEditStatus] = [.applied, .stale, .refused, .busy, .gone, .unknown]
        #expect(all.filter(\.isToRepeat) == [.busy, .unknown])
    }

    /// The editor may have made it, so it is repeated, and not made once more.
    @Test func onlyTheEditWithoutAnAnswerIsARepetition() {
        var queue = EditQueue<String>()
        queue.add("a")
        queue.add("b")
        #expect(!queue.isUnanswered)
        let number = queue.begin()
        queue.didReply(isBusy: true, isUnanswered: true)
        let isSentAgain = queue.retry(number)
        #expect(isSentAgain && queue.isUnanswered && queue.next == "a")
        _ = queue.begin()
        queue.didReply(isBusy: false)
        #expect(!queue.isUnanswered && queue.next == "b")
        _ = queue.begin()
        queue.didReply(isBusy: true, isUnanswered: true)
        queue.otherTextDidCome()
        #expect(!queue.isUnanswered)
    }

    @Test func withoutASuccessorKeyEventsAreSentForTheKeysPressedSince() {
        var queue = EditQueue<String>()
        queue.add("a")
        let number = queue.begin()
        queue.didReply(isBusy: true)
        queue.add("b", substitute: deeds("b"))
        queue.add("c", substitute: deeds("c"))
        let keys = queue.takeSubstitutes()
        let isSentAgain = queue.retry(number)
        #expect(keys == deeds("b") + deeds("c"))
        #expect(queue.isEmpty && !isSentAgain && !queue.isSending(number))
    }

    /// The focus has gone to a text that has nothing to do with the former one.
    @Test func anotherTextGetsOnlyTheKeysPressedSince() {
        var queue = EditQueue<String>()
        queue.add("a")
        let number = queue.begin()
        queue.add("b", substitute: deeds("b"))
        queue.otherTextDidCome()
        #expect(!queue.isSending(number) && queue.next == "b")
        let next = queue.begin()
        #expect(next != number)
    }

    @Test func aTextThatIsGoneIsNotWaitedFor() {
        var queue = EditQueue<String>()
        queue.add("a")
        queue.add("b")
        _ = queue.begin()
        queue.didReply(isBusy: false)
        #expect(!queue.awaitsSuccessor && queue.next == "b")
        let keys = queue.takeSubstitutes()
        #expect(keys.isEmpty && queue.isEmpty)
    }
}
