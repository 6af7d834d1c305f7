import InkstoneBase
import InkstoneTesting
import Testing
import TextTestSupport

@testable import InkstoneText

/// Transactions of two views and a program, with undo and redo, compared with a simple model.
@Suite(.timeLimit(.minutes(5))) struct TransactionModelTests {
    static let cases = environment("INKSTONE_CASES", default: isLongTier ? 250_000 : 25_000) / 50

    private func random(_ text: Rope, _ random: inout SeededGenerator) -> TextChangeSet {
        ChangeModel(of: text.bytes(in: text.byteRange), most: 3, &random).changeSet(&random)
    }

    /// Observers reconstruct the store's text from their notifications, whoever edits; each is notified of each
    /// version once, in order.
    @Test(arguments: RopeModelTests.seeds)
    func reportedChangesAddUpToTheText(seed: UInt64) {
        print("transactions seed \(seed), \(Self.cases) cases")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<Self.cases {
            let store = TextStore(Rope(bytes: randomBytes(&random, about: 30)))
            let start = store.text
            var received: [[TextVersion]] = [[], [], []]
            var folded = start
            var answers = 0
            var shared = random
            let observers = (0..<3).map { index in
                store.observeTransactions { applied in
                    received[index].append(applied.after)
                    #expect(applied.before.next == applied.after)
                    if index == 0 {
                        #expect(applied.textBefore == folded)
                        folded.apply(applied.changes)
                        #expect(applied.text == folded)
                        let covering = applied.coveringRanges
                        var covered = applied.textBefore
                        covered.replace(
                            covered.byteRange(of: covering.old),
                            with: applied.text.slice(applied.text.byteRange(of: covering.new)))
                        #expect(covered == folded)
                    } else if answers < 3, shared.once(in: 3) {
                        answers += 1
                        let change = self.random(store.text, &shared)
                        let made = store.apply(Transaction(on: store, change))
                        #expect(made?.text == store.text, "an observer reads its own edit")
                    }
                }
            }
            for _ in 0..<4 {
                answers = 0
                switch shared.below(6) {
                case 0: store.undo()
                case 1: store.redo()
                default: store.apply(Transaction(on: store, self.random(store.text, &shared)))
                }
            }
            random = shared
            let versions = (0..<store.version.value).map { TextVersion($0 + 1) }
            #expect(folded == store.text && received == [versions, versions, versions])
            withExtendedLifetime(observers) {}
        }
    }

    /// Each letter occurs once: an entry's letters disappear and return with it, whatever unrecorded changes happen
    /// in between.
    @Test(arguments: RopeModelTests.seeds)
    func undoTakesBackJustWhatWasRecorded(seed: UInt64) {
        print("undo seed \(seed), \(Self.cases) cases")
        var random = SeededGenerator(seed: seed)
        for round in 0..<Self.cases {
            var letter = UInt16(0x4e00)
            func letters(_ count: Int) -> String {
                String(
                    decoding: (0..<count).map { _ -> UInt16 in
                        letter += 1; return letter
                    }, as: UTF16.self)
            }
            let store = TextStore(Rope(letters(8)))
            let views = [ViewID(), ViewID()]
            // The letters always in the text, and those of each step.
            var foreign = Set(store.text.description)
            var steps: [(removed: Set<Character>, inserted: Set<Character>, view: ViewID)] = []
            var undone: [(removed: Set<Character>, inserted: Set<Character>, view: ViewID)] = []
            /// Letters that an unrecorded change has removed for ever.
            var gone = Set<Character>()
            for _ in 0..<14 {
                let length = store.text.metrics.utf16
                switch random.below(7) {
                case 0, 1, 2:
                    var builder = TextChangeSet.Builder(over: store.text)
                    var removed = Set<Character>()
                    var inserted = Set<Character>()
                    var at = random.below(length + 1)
                    for _ in 0..<(1 + random.below(2)) where at <= length {
                        let high = min(length, at + random.below(3))
                        let new = letters(high == at ? 1 + random.below(2) : random.below(3))
                        builder.replace(UTF16Offset(at)..<UTF16Offset(high), with: new)
                        removed.formUnion(store.text.string(in: UTF16Offset(at)..<UTF16Offset(high)))
                        inserted.formUnion(new)
                        at = high + 1 + random.below(3)
                    }
                    let view = views[random.below(2)]
                    store.apply(Transaction(on: store, builder.finish(), origin: .typing, view: view))
                    steps.append((removed, inserted, view))
                    undone = []
                case 3:
                    // An unrecorded edit: at the end or anywhere.
                    let low = random.once(in: 2) ? length : random.below(length + 1)
                    let high = min(length, low + random.below(3))
                    let new = letters(1 + random.below(2))
                    gone.formUnion(store.text.string(in: UTF16Offset(low)..<UTF16Offset(high)))
                    foreign.formUnion(new)
                    let change = TextChangeSet(
                        replacing: UTF16Offset(low)..<UTF16Offset(high), with: Rope(new), in: store.text)
                    store.apply(Transaction(on: store, change, origin: .otherProcess, undo: .notRecorded))
                case 4, 5:
                    guard let step = steps.popLast() else { continue }
                    undone.append(step)
                    let selection = store.undo(in: views[0])
                    #expect(selection.map { $0.upperBound.value <= store.text.metrics.utf16 } ?? true)
                default:
                    guard let step = undone.popLast() else { continue }
                    steps.append(step)
                    store.redo(in: views[1])
                }
                var expected = foreign
                for step in steps { expected = expected.subtracting(step.removed).union(step.inserted) }
                expected.subtract(gone)
                let found = Array(store.text.description)
                guard found.count == expected.count, Set(found) == expected else {
                    Issue.record("seed \(seed), case \(round): \(found) is not \(expected)")
                    return
                }
                #expect(store.canUndo == !steps.isEmpty && store.canRedo == !undone.isEmpty)
            }
        }
    }

    /// Without unrecorded changes, undo and redo restore each text byte for byte, and the saved state is
    /// recognized.
    @Test(arguments: RopeModelTests.seeds)
    func undoAndRedoRestoreByteForByte(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<Self.cases {
            let store = TextStore(Rope(bytes: randomBytes(&random, about: 20)))
            var states = [store.text]
            var at = 0
            var saved: Int? = 0
            for _ in 0..<20 {
                switch random.below(5) {
                case 0:
                    store.markSaved()
                    saved = at
                case 1, 2:
                    let change = self.random(store.text, &random)
                    if change.isEmpty { continue }
                    store.apply(Transaction(on: store, change))
                    states.removeSubrange((at + 1)...)
                    if let index = saved, index > at { saved = nil }
                    states.append(store.text)
                    at += 1
                case 3:
                    if at > 0 { at -= 1 }
                    store.undo()
                default:
                    if at < states.count - 1 { at += 1 }
                    store.redo()
                }
                guard store.text == states[at], store.isModified == (saved != at) else {
                    Issue.record("seed \(seed), case \(round): state \(at)")
                    return
                }
            }
        }
    }

    /// A transaction made for an older version has the same effect beside the later edits. The text is letters,
    /// which never combine: combining text would move the ends of changes.
    @Test(arguments: RopeModelTests.seeds)
    func lateTransactionsAreMovedAlong(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func letters(_ random: inout SeededGenerator) -> [UInt8] {
            (0..<(1 + random.below(6))).map { _ in 0x61 + UInt8(random.below(26)) }
        }
        func change(_ text: Rope) -> TextChangeSet {
            ChangeModel(of: text.bytes(in: text.byteRange), most: 3, &random, inserting: letters).changeSet(&random)
        }
        for _ in 0..<Self.cases {
            let store = TextStore(Rope(bytes: (0..<6).flatMap { _ in letters(&random) }))
            let start = store.text
            let late = Transaction(on: store, change(start))
            let first = change(store.text)
            store.apply(Transaction(on: store, first))
            let second = change(store.text)
            store.apply(Transaction(on: store, second))
            let inTurn = late.changes.mapped(over: first, in: first.applied(to: start), isFirst: false)
                .mapped(over: second, in: store.text, isFirst: false)
            let expected = inTurn.applied(to: store.text)
            #expect(store.apply(late)?.text == expected)
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct TransactionTests {
    private let whole = UTF16Offset(0)..<UTF16Offset(0)

    @Test func theEditsOfAnObserverAreReportedRightAfterInOrder() {
        let store = TextStore("a")
        var received: [String] = []
        let first = store.observeTransactions { applied in
            let inserted = applied.changes.insertedText(0)
            received.append("1 \(inserted)")
            if inserted == "b" { store.replace(whole, with: "c") }
            if inserted == "b" { received.append(store.text.description) }
        }
        let second = store.observeTransactions { received.append("2 \($0.changes.insertedText(0))") }
        store.replace(whole, with: "b")
        #expect(received == ["1 b", "cba", "2 b", "1 c", "2 c"] && store.text == "cba")
        withExtendedLifetime((first, second)) {}
    }

    @Test func observersThatAnswerEachOtherWithoutEndAreCut() {
        let store = TextStore()
        var refusals: [TextRefusal] = []
        store.refusalHandler = { refusals.append($0) }
        let observation = store.observeTransactions { _ in store.replace(whole, with: "x") }
        store.replace(whole, with: "x")
        #expect(store.text.metrics.bytes == TextStore.roundLimit && refusals == [.endlessAnswers])
        store.replace(whole, with: "y")
        #expect(store.text.metrics.bytes == 2 * TextStore.roundLimit && refusals.count == 2)
        withExtendedLifetime(observation) {}
    }

    @Test func anObserverMayMakeManyEditsInOneAnswer() {
        let store = TextStore()
        var refusals: [TextRefusal] = []
        store.refusalHandler = { refusals.append($0) }
        let observation = store.observeTransactions { applied in
            guard applied.changes.insertedText(0) == "a" else { return }
            for _ in 0..<500 { store.replace(whole, with: "x") }
        }
        store.replace(whole, with: "a")
        #expect(store.text.metrics.bytes == 501 && refusals.isEmpty)
        withExtendedLifetime(observation) {}
    }

    /// A follower that may be released at any time.
    private final class Follower: TextStoreFollower {
        var versions: [TextVersion] = []
        func storeDidApply(_ applied: AppliedTransaction) { versions.append(applied.after) }
    }

    /// A follower that edits.
    private final class EditingFollower: TextStoreFollower {
        var edit: () -> Void = {}
        func storeDidApply(_ applied: AppliedTransaction) { edit() }
    }

    @Test func editsMadeWhileFollowersAreCalledAreDeferred() {
        let store = TextStore("a")
        var received: [String] = []
        let observation = store.observeTransactions { received.append("\($0.changes.insertedText(0)) \($0.text)") }
        let (first, second) = (EditingFollower(), EditingFollower())
        store.addFollower(first)
        store.addFollower(second)
        first.edit = {
            first.edit = {}
            #expect(store.replace(whole, with: "c").changes.isEmpty)
            #expect(store.undo() == nil && store.text == "ba")
        }
        store.replace(whole, with: "b")
        #expect(received.prefix(2) == ["b ba", "c cba"] && store.text == "ba", "\(received)")
        var refusals: [TextRefusal] = []
        store.refusalHandler = { refusals.append($0) }
        second.edit = { store.replace(whole, with: "x") }
        store.replace(whole, with: "x")
        #expect(store.text.metrics.bytes == 2 + TextStore.roundLimit && refusals == [.endlessAnswers])
        withExtendedLifetime(observation) {}
    }

    /// A follower that records its notifications and runs a test's closure.
    private final class Chronicler: TextStoreFollower {
        var received: [String] = []
        var follow: (AppliedTransaction) -> Void = { _ in }
        func storeWillApply(by view: ViewID?, isInputSystem: Bool) { received.append("edit") }
        func storeDidApply(_ applied: AppliedTransaction) {
            received.append("follow \(applied.after.value)")
            follow(applied)
        }
        func storeDidDeliver(_ applied: AppliedTransaction) { received.append("deliver \(applied.after.value)") }
        func storeDidReachTurn() { received.append("turn") }
    }

    /// Updates and edits that result from a transaction made during a delivery come after that transaction is
    /// delivered.
    @Test func turnsAndEditsThatComeOfFollowingAnAnswerComeBehindIt() {
        let store = TextStore()
        let follower = Chronicler()
        store.addFollower(follower)
        let observation = store.observeTransactions { applied in
            follower.received.append("observe \(applied.after.value)")
            if applied.changes.insertedText(0) == "a" { store.replace(whole, with: "b") }
        }
        follower.follow = { applied in
            guard applied.changes.insertedText(0) == "b" else { return }
            #expect(store.deliverTurn(of: follower))
            store.replace(whole, with: "c")
        }
        store.replace(whole, with: "a")
        #expect(
            follower.received == [
                "edit", "follow 1", "observe 1", "edit", "follow 2", "deliver 1", "observe 2", "deliver 2", "turn",
                "edit",
                "follow 3",
                "observe 3", "deliver 3",
            ])
        withExtendedLifetime(observation) {}
    }

    @Test func aFollowerThatIsGoneIsNotCalled() {
        let store = TextStore("a")
        var follower: Follower? = Follower()
        if let follower { store.addFollower(follower) }
        weak let gone = follower
        store.replace(whole, with: "b")
        #expect(follower?.versions == [TextVersion(1)])
        follower = nil
        #expect(gone == nil)
        store.replace(whole, with: "c")
        #expect(store.text == "cba")
    }

    /// An observer releases a follower and starts another observation of the same text.
    @Test func followerReleasedByAnObserverIsNotCalled() {
        let store = TextStore("a")
        var follower: Follower? = Follower()
        if let follower { store.addFollower(follower) }
        var late: TextObservation?
        var received = 0
        let first = store.observeTransactions { _ in
            follower = nil
            late = nil
        }
        late = store.observeTransactions { _ in received += 1 }
        store.replace(whole, with: "b")
        #expect(received == 0 && late == nil && follower == nil)
        withExtendedLifetime(first) {}
    }

    @Test func aTransactionOfManySectionsIsReportedOnceAndUndoneWithItsSelection() {
        let store = TextStore("one two three")
        let (here, there) = (ViewID(), ViewID())
        var received = 0
        let observation = store.observeTransactions { _ in received += 1 }
        var builder = TextChangeSet.Builder(over: store.text)
        builder.replace(UTF16Offset(8)..<UTF16Offset(13), with: "3")
        builder.replace(UTF16Offset(0)..<UTF16Offset(3), with: "1")
        store.apply(
            Transaction(on: store, builder.finish(), selectionBefore: Selection(anchor: 4, head: 7), view: here))
        #expect(store.text == "1 two 3" && received == 1)
        #expect(store.undo(in: here) == 4..<7 && store.text == "one two three" && received == 2)
        store.redo(in: here)
        #expect(store.undo(in: there) == 0..<13, "another view selects what came back")
        withExtendedLifetime(observation) {}
    }

    /// A follower that edits the text at the first undo.
    private final class Meddler: TextStoreFollower {
        let store: TextStore
        init(_ store: TextStore) { self.store = store }
        var isArmed = true
        func storeWillApply(by view: ViewID?, isInputSystem: Bool) {
            guard isArmed else { return }
            isArmed = false
            store.replace(UTF16Offset(0)..<UTF16Offset(0), with: "<", undo: .notRecorded)
        }
        func storeDidApply(_ applied: AppliedTransaction) {}
    }

    @Test func aStepOfUndoIsATransactionThatChangesNothingYet() throws {
        let store = TextStore("a")
        store.replace(UTF16Offset(1)..<UTF16Offset(1), with: "b")
        store.replace(UTF16Offset(2)..<UTF16Offset(2), with: "c")
        let undo = try #require(store.undoing())
        #expect(undo.origin == .undo && store.text == "abc" && !store.canRedo && store.redoing() == nil)
        let meddler = Meddler(store)
        store.addFollower(meddler)
        let applied = try #require(store.apply(undo))
        #expect(applied.text == "<ab" && applied.origin == .undo && store.canRedo)
        let redo = try #require(store.redoing())
        #expect(redo.origin == .redo && store.apply(redo)?.text == "<abc" && !store.canRedo)
        store.undo()
        store.undo()
        #expect(store.text == "<a" && !store.canUndo && store.undoing() == nil)
    }

    @Test func aGroupIsJoinedByItsIdentityAndSwallowsNothingElse() {
        let store = TextStore("")
        let group = UndoJoining.group(UndoGroupID())
        store.replace(whole, with: "n", undo: group)
        store.replace(UTF16Offset(0)..<UTF16Offset(1), with: "に", undo: group)
        // Its view is released in the middle of the group.
        store.replace(UTF16Offset(1)..<UTF16Offset(1), with: "x")
        store.undo()
        #expect(store.text == "に")
        store.undo()
        #expect(store.text == "" && !store.canUndo)
    }

    /// A preedit that equals the replaced text is drawn before a different one.
    @Test func aGroupThatComesToNothingOnTheWayKeepsItsSelection() {
        let store = TextStore("ab")
        let group = UndoJoining.group(UndoGroupID())
        store.replace(UTF16Offset(0)..<UTF16Offset(1), with: "x", undo: group, selectionBefore: 0..<1)
        store.replace(UTF16Offset(0)..<UTF16Offset(1), with: "a", undo: group, selectionBefore: 1..<1)
        #expect(!store.canUndo && !store.isModified)
        store.replace(UTF16Offset(0)..<UTF16Offset(1), with: "y", undo: group, selectionBefore: 1..<1)
        #expect(store.undo() == 0..<1 && store.text == "ab" && !store.canUndo)
    }

    @Test func aGroupGoesOnWhileAFileIsRead() {
        let store = TextStore("a")
        let group = UndoJoining.group(UndoGroupID())
        store.replace(whole, with: "n", undo: group)
        store.replace(UTF16Offset(2)..<UTF16Offset(2), with: "bc", origin: .load)
        store.replace(UTF16Offset(0)..<UTF16Offset(1), with: "に", undo: group)
        store.undo()
        #expect(store.text == "abc" && !store.canUndo && !store.isModified)
        store.redo()
        #expect(store.text == "にabc")
    }

    @Test func expiredTransactionsAreRefused() {
        let store = TextStore("abc", editLogLimit: 2)
        var refusals: [TextRefusal] = []
        store.refusalHandler = { refusals.append($0) }
        let late = Transaction(on: store, TextChangeSet(replacing: ByteOffset(1)..<ByteOffset(2), with: "x", in: "abc"))
        for _ in 0..<3 { store.replace(whole, with: "y") }
        #expect(store.apply(late) == nil && refusals == [.expired] && store.text == "yyyabc")
    }

    @Test func replacingAllIsOneTransaction() throws {
        let store = TextStore(Rope(String(repeating: "one two ", count: 1000)))
        var received = 0
        let observation = store.observeTransactions { _ in received += 1 }
        #expect(try store.replaceAll(TextSearch("two"), with: "three") == 1000)
        #expect(received == 1 && store.text.metrics.bytes == 10_000)
        store.undo()
        #expect(store.text == Rope(String(repeating: "one two ", count: 1000)) && !store.canUndo)
        withExtendedLifetime(observation) {}
    }
}
