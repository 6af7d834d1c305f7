import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

/// The whole editor under hostile users, programs, disks and machines. The suite is not part of ``DisplayTests``,
/// because it takes as long as `INKSTONE_HOSTILE_SECONDS` says; `scripts/test --hostile` runs it.
@Suite(.serialized, .enabled(if: getenv("INKSTONE_HOSTILE_SECONDS") != nil))
struct HostileUseTests {
    @Test func nothingTypedIsLost() throws {
        let library = try #require(DiskFaults.library, "scripts/test builds it and says where it is")
        let seconds = atof(getenv("INKSTONE_HOSTILE_SECONDS"))
        let seed = SeededGenerator.newSeed
        print("hostile use for \(Int(seconds)) s with seed \(seed)")
        let user = try HostileUser(seed: seed, library: library)
        defer { user.end() }
        let end = Deadline(milliseconds: Int(seconds * 1000))
        var findings = 0
        while !end.hasPassed, findings < 10 {
            do {
                if user.editor == nil { try user.start() }
                try user.step()
            } catch let finding {
                findings += 1
                Issue.record("seed \(seed), step \(user.steps): \(finding)")
                user.reset()
            }
        }
        print("hostile use: \(user.steps) steps, \(findings) findings, stalls over 2 s: \(user.stalls)")
        #expect(user.steps > 0)
    }
}

/// Tests of the model with which hostile use is compared.
@Suite struct HostileDocumentTests {
    /// The model reports a word that was lost on purpose.
    @Test func aWordThatIsMissingIsFound() {
        var document = HostileDocument(named: "a", in: "/nowhere")
        document.typed = [("w00001", 0.0), ("w00002", 5000)].map { .init(word: $0.0, moment: $0.1, diskWasSound: true) }
        #expect(document.owed(at: 5500) == ["w00001"])
        #expect(document.owed(at: 7000) == ["w00001", "w00002"])
        document.saved = ["w00001"]
        document.noteChangeOutside()
        #expect(document.owed(at: 7000) == ["w00002"])
        // A save that was not waited for counts as finished only once another program has changed the file.
        document.noteSaveBegun()
        #expect(document.owed(at: 7000) == ["w00002"])
        document.noteChangeOutside()
        #expect(document.owed(at: 7000) == [])
        document.typed.append(.init(word: "w00003", moment: 6000, diskWasSound: true))
        #expect(document.owed(at: 7500) == ["w00003"])
        document.noteBadDisk(at: 6500)
        #expect(document.owed(at: 7500) == [])
        let contents = HostileDocument.contents(of: "w00001\n\nzz z\r\nw0002\nw00003\n")
        #expect(contents.words == ["w00001", "w00003"] && contents.foreign == ["w0002"])
    }
}
