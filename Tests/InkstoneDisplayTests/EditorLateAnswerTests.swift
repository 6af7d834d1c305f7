import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Answers of disks and other programs that arrive when the user has typed on: nothing opens under the fingers,
    /// and no letter goes anywhere else than where it was meant to go.
    @Suite struct EditorLateAnswerTests {
        /// The background colour of the current match.
        private static let current: UInt32 = 0xff9b3d

        private let session: DesktopSession
        private var probe: XProbe { session.probe }

        init() throws { session = try DesktopSession(width: 800, height: 600) }

        /// A disk on which files with the given name hang once that is switched on.
        private func disk(with name: String) throws -> DiskFaults {
            let faults = try DiskFaults(
                #require(DiskFaults.library), switchedBy: "\(session.home)/faults", under: ["\(session.home)/\(name)"])
            session.environment.merge(faults.environment) { $1 }
            return faults
        }

        /// The owner of PRIMARY answers only after more was typed.
        @Test func aSelectionThatComesLateOpensNoBar() throws {
            defer { session.end() }
            let owner = try RawOwner(
                session.server.display, "PRIMARY", answers: [("UTF8_STRING", "UTF8_STRING", Array("mine".utf8))])
            defer { owner.close() }
            let editor = try EditorProcess(in: session, text: "mine\n")
            try editor.waitForText()
            probe.control("f", shift: true)
            try editor.waitForInsertion(of: "a")
            try waitUntil("the request for the text", instead: { editor.report() }) {
                owner.serve()
                return owner.asked.last == "UTF8_STRING"
            }
            probe.type("b")
            try editor.save(expecting: "abmine\n")
            editor.end()
        }

        /// The question whether to overwrite a PDF comes while a search text is being typed.
        @Test(.enabled(if: DiskFaults.library != nil))
        func aQuestionThatComesLateLeavesTheFindBarOpenWithItsText() throws {
            defer { session.end() }
            let faults = try disk(with: "page.pdf")
            try TextFiles.write("%PDF", to: "\(session.home)/page.pdf")
            let editor = try EditorProcess(in: session, text: "alpha alphabet\n")
            try editor.waitForText()
            probe.control("p")
            try editor.waitForQuestion(answers: 3)
            probe.strike(.enter)
            try editor.waitForQuestion(answers: 2)
            faults.set(.hanging)
            probe.control("a")
            probe.type("\(session.home)/page.pdf\n")
            probe.control("f")
            probe.type("alpha")
            // The bar marks the match at the caret in the first line.
            try waitUntil("the find bar", within: 10_000, instead: { editor.report() }) {
                probe.drainEvents()
                return probe.screenshot(of: editor.currentWindow)?.shows(Self.current) ?? false
            }
            faults.set([])
            _ = try waitFor("the offer above the find bar", within: 10_000, instead: { editor.report() }) {
                probe.drainEvents()
                guard let picture = probe.screenshot(of: editor.currentWindow) else { return nil as Int? }
                let edges = (0..<picture.height).count { row in
                    (0..<picture.width).allSatisfy { picture[$0, row] == EditorColor.stripEdge }
                }
                return edges == 3 ? edges : nil
            }
            probe.type("bet")
            probe.strike(.enter)
            probe.strike(.escape)
            probe.type("x")
            try editor.save(expecting: "alpha x\n")
            #expect(try TextFiles.read("\(session.home)/page.pdf") == "%PDF")
            editor.end()
        }
    }
}
