import Glibc
import InkstoneBase
import InkstoneFiles
import InkstoneTesting
import Testing

@testable import InkstoneLayout

/// fontconfig's answers cached from one run to the next.
@Suite(.timeLimit(.minutes(5))) struct FontMemoryTests {
    private let owned: OwnedDirectory
    private var directory: String { owned.path }
    private var path: String { directory + "/cache/inkstone/fonts" }
    private let settings = FontSettings()
    private let sans = FontDescriptor(family: "Noto Sans", size: 14)

    init() throws {
        // Initialize the fonts first, because their configuration is part of the cache's key.
        precondition(TestFonts.ready)
        owned = try OwnedDirectory()
    }

    private func question(_ font: FontDescriptor) throws -> String {
        try #require(FontQuery(font, language: nil, settings: settings.pattern).text)
    }

    /// Runs queries for these fonts and writes the cache; returns what the run found in it.
    @discardableResult
    private func run(asking fonts: [FontDescriptor], watching: [String] = []) -> Bool {
        let memory = FontMemory(.ofTests, watching: watching.map { FilePath($0) })
        let isBelieved = memory.recall(from: path)
        let context = FontContext(settings: settings)
        for font in fonts { _ = FontCandidates(font, language: nil, context, memory: FontRecall(memory)) }
        memory.confirm()
        return isBelieved
    }

    private func write(_ text: String, to path: String) {
        guard let file = fopen(path, "w") else { return }
        fputs(text, file)
        fclose(file)
    }

    private func content(of path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        return String(decoding: bytes.prefix(fread(&bytes, 1, bytes.count, file)), as: UTF8.self)
    }

    @Test func theFirstFontIsKnownInTheNextRun() throws {
        #expect(run(asking: [sans, .standard]) == false)
        let memory = FontMemory(.ofTests)
        #expect(memory.recall(from: path))
        #expect(try memory.answer(to: question(sans))?.hasPrefix("Noto Sans") == true)
        #expect(try memory.answer(to: question(.standard)) != nil)
        var other = sans
        other.size = 15
        #expect(try memory.answer(to: question(other)) == nil)
        // New answers are added to the cached ones.
        #expect(run(asking: [other]))
        #expect(memory.recall(from: path))
        #expect(try [sans, .standard, other].allSatisfy { try memory.answer(to: question($0)) != nil })
    }

    @Test func theMemoryIsDiscardedWhenAWatchedFileHasChanged() {
        let file = directory + "/watched"
        run(asking: [sans], watching: [file])
        #expect(FontMemory(.ofTests).recall(from: path))
        write("a", to: file)
        #expect(!FontMemory(.ofTests).recall(from: path))
        run(asking: [sans], watching: [file])
        #expect(FontMemory(.ofTests).recall(from: path))
        write("ab", to: file)
        #expect(!FontMemory(.ofTests).recall(from: path))
        run(asking: [sans], watching: [file])
        unlink(file)
        #expect(!FontMemory(.ofTests).recall(from: path))
    }

    @Test func aWrongAnswerIsPutRight() throws {
        let memory = FontMemory(.ofTests)
        #expect(!memory.recall(from: path))
        memory.note("No Such Font:file=/nowhere", for: try question(sans))
        memory.confirm()
        let next = FontMemory(.ofTests)
        #expect(next.recall(from: path))
        #expect(try next.answer(to: question(sans))?.hasPrefix("Noto Sans") == true)
    }

    @Test func aFontThatIsGoneIsNoAnswer() throws {
        let memory = FontMemory(.ofTests)
        _ = memory.recall(from: path)
        memory.note("No Such Font:file=/nowhere", for: try question(sans))
        let context = FontContext(settings: settings)
        let found = try #require(FontCandidates(sans, language: nil, context, memory: FontRecall(memory))?.firstFace)
        #expect(FontTable.pattern(for: found.id).hasPrefix("Noto Sans"))
    }

    @Test(arguments: ["", "\n\n", "Inkstone font memory 1", "Inkstone font memory 1\nx\n", "=/etc\n?a\n!b\n"])
    func aFileThatIsNoFontMemoryIsIgnored(_ text: String) {
        mkdir(directory + "/cache", 0o700)
        mkdir(directory + "/cache/inkstone", 0o700)
        write(text, to: path)
        #expect(!FontMemory(.ofTests).recall(from: path))
    }

    @Test func aMemoryCutShortIsNotBelieved() {
        run(asking: [sans])
        let whole = content(of: path)
        #expect(!whole.isEmpty)
        // After the last source the stamp is valid, so the following lines must come in pairs.
        for lines in 1..<whole.split(separator: "\n").count {
            write(whole.split(separator: "\n").prefix(lines).joined(separator: "\n") + "\n", to: path)
            let memory = FontMemory(.ofTests)
            if memory.recall(from: path) { #expect(memory.answer(to: (try? question(sans)) ?? "") == nil) }
        }
    }

    /// A text gets the same fonts, whether the fallback fonts were sorted or not.
    @Test(arguments: [FontDescriptor(family: "Noto Sans", size: 14), .standard])
    func eachScalarIsShownByTheSameFont(_ font: FontDescriptor) throws {
        run(asking: [font])
        let memory = FontMemory(.ofTests)
        #expect(memory.recall(from: path))
        let context = FontContext(settings: settings)
        let sorted = try #require(FontCandidates(font, language: nil, context, memory: nil))
        func compare(_ scalars: some Sequence<UInt32>, emoji: Bool) throws {
            let remembering = try #require(FontCandidates(font, language: nil, context, memory: FontRecall(memory)))
            for scalar in scalars {
                #expect(
                    sorted.face(for: scalar, emoji: emoji)?.id == remembering.face(for: scalar, emoji: emoji)?.id,
                    "U+\(String(scalar, radix: 16)), emoji: \(emoji)")
            }
        }
        // Latin letters first: other characters cause the fallback fonts to be sorted, after which the cache has no
        // effect.
        try compare(0x20..<0x300, emoji: false)
        for scalar: UInt32 in [0x23, 0x31, 0xa9] { try compare([scalar], emoji: true) }
        for scalar: UInt32 in [0x2c8, 0x5d0, 0x2022, 0x263a, 0x3042, 0x1f600] { try compare([scalar], emoji: false) }
    }
}

extension FontDescriptor {
    fileprivate static let standard = FontDescriptor(family: "monospace", size: 13)
}

extension FontMemory.System {
    fileprivate static let ofTests = FontMemory.System(
        version: { SystemFonts.version }, sources: { SystemFonts.sources }, answer: SystemFonts.answer(to:))
}

extension FontRecall {
    fileprivate init(_ memory: FontMemory) { self.init(answer: memory.answer, note: memory.note) }
}
