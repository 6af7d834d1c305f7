import Glibc
import InkstoneBase
import InkstoneText
import InkstoneUnicode
import Synchronization
import InkstoneTesting
import Testing
import TextTestSupport

@testable import InkstoneFiles

@Suite(.timeLimit(.minutes(5))) struct TextFileLoaderTests {
    let scratch = Scratch()

    /// The copy takes the memory of the text once more.
    @Test func aCopyOfInputThatGrowsTooLargeIsGivenUp() throws {
        let copy = try #require(InputCopy(limit: 4))
        for byte in UInt8(1)...4 { [byte].withUnsafeBytes { copy.append($0) } }
        #expect(copy.isWhole && contents(copy.path) == [1, 2, 3, 4])
        for byte in UInt8(5)...6 {
            [byte].withUnsafeBytes { copy.append($0) }
            #expect(!copy.isWhole && contents(copy.path).isEmpty)
        }
    }

    /// Loads a file into a store, with all events' names.
    private func load(
        _ path: String, encoding: TextEncoding? = nil,
        then: @escaping (TextStore, TextFileLoader.Event) -> Void = { _, _ in }
    ) -> (TextStore, [String], TextFile?) {
        let inbox = Inbox()
        let store = TextStore()
        var events: [String] = []
        var file: TextFile?
        var isDone = false
        let loader = TextFileLoader(path: path, encoding: encoding, post: { inbox.post($0) }) { event in
            let end = store.text.byteRange.upperBound
            switch event {
            case .started(let started, _):
                file = started
                events.append("started")
                store.replace(end..<end, with: started.text, origin: .load)
            case .piece(let text, _):
                events.append("piece")
                store.replace(end..<end, with: text, origin: .load)
            case .finished(let isLossless):
                events.append(isLossless ? "finished" : "finished, lossy")
                isDone = true
            case .failed(let error):
                events.append("\(error)")
                isDone = true
            }
            then(store, event)
        }
        inbox.run { isDone }
        withExtendedLifetime(loader) {}
        return (store, events, file)
    }

    /// A log that is written faster than it is read would never be there.
    @Test func aFileThatGrowsIsReadAsItWasWhenItWasOpened() throws {
        let path = scratch.put("log", String(repeating: "a line\n", count: 1_000_000))
        let inbox = Inbox()
        var (loader, bytes, isDone) = (TextFileLoader?.none, 0, false)
        loader = TextFileLoader(path: path, pausingAfterStart: true, post: { inbox.post($0) }) { event in
            switch event {
            case .started(let file, let size):
                #expect(size == 7_000_000)
                bytes = file.text.metrics.bytes
                let descriptor = open(path, O_WRONLY | O_APPEND)
                _ = Glibc.write(descriptor, String(repeating: "later\n", count: 100_000), 600_000)
                close(descriptor)
                loader?.resume()
            case .piece(let text, _): bytes += text.metrics.bytes
            default: isDone = true
            }
        }
        inbox.run { isDone }
        #expect(bytes == 7_000_000)
    }

    @Test func piecesGiveTheWholeFile() throws {
        var random = SeededGenerator(seed: 7)
        var bytes: [UInt8] = []
        let block = randomBytes(&random, about: 1_000_003)
        for _ in 0..<10 { bytes += block }
        let (store, events, file) = load(scratch.put("file", bytes))
        #expect(events.first == "started" && events.last == "finished" && events.count >= 4)
        #expect(store.text.bytes(in: store.text.byteRange) == bytes)
        #expect(store.text.checkInvariants() == [])
        #expect(store.text.metrics == ArrayModel.metrics(bytes))
        #expect(!store.isModified && !store.canUndo)
        // Less by a cluster or two.
        let start = try #require(file?.text.metrics.bytes)
        #expect((TextFileLoader.firstPiece - 4096...TextFileLoader.firstPiece).contains(start))
    }

    /// Whatever follows the end of the first piece, what is typed there stands between two characters of the file.
    @Test(arguments: ["\r\n", "e\u{301}\u{302}", "👩‍👩‍👧", "🇫🇷🇩🇪", "각", "क्षि", "日"])
    func textTypedAtTheEndOfAPieceSplitsNoCharacter(_ cluster: String) {
        let bytes = Array(cluster.utf8)
        for inside in 0...bytes.count {
            let lead = [UInt8](repeating: UInt8(ascii: "a"), count: TextFileLoader.firstPiece - inside)
            let whole = Rope(bytes: lead + bytes + [UInt8(ascii: "z")])
            var typed: ByteOffset?
            let (store, _, _) = load(scratch.put("file", whole.bytes(in: whole.byteRange))) { store, event in
                guard case .started = event else { return }
                let end = store.text.byteRange.upperBound
                store.replace(end..<end, with: "|")
                typed = end
            }
            #expect(store.text.metrics.bytes == whole.metrics.bytes + 1)
            let place = whole.utf16Offset(at: typed ?? 0)
            #expect(whole.roundedDown(toGrapheme: place) == place, "\(inside) bytes of it in the first piece")
            #expect(typed != 0 && typed.map { whole.byteOffset(at: place) == $0 } == true)
        }
    }

    @Test func oneTypesWhileTheRestArrives() {
        let text = String(repeating: "0123456789abcde\n", count: 700_000)
        let (store, _, _) = load(scratch.put("file", text)) { store, event in
            if case .piece = event {
                store.replace(0..<0 as Range<ByteOffset>, with: "typed ")
            }
        }
        #expect(store.text.string(in: 0..<6 as Range<ByteOffset>) == "typed ")
        while store.canUndo { store.undo() }
        #expect(!store.isModified)
        #expect(store.text == Rope(text))
    }

    @Test func emptyAndOtherEncodingsAreLoadedToo() throws {
        #expect(load(scratch.put("empty", "")).1 == ["started", "finished"])
        let encoding = try #require(TextEncoding(named: "Shift_JIS"))
        let text = String(repeating: "日本語 text ", count: 100_000)
        let path = scratch.file("sjis")
        try TextFile.write(Rope(text), to: path, format: TextFileFormat(encoding: encoding), expecting: nil)
        let (store, events, _) = load(path, encoding: encoding)
        #expect(store.text == Rope(text) && events.last == "finished")
        let (cut, ends, _) = load(scratch.put("cut", [0x61, 0x93]), encoding: encoding)
        #expect(cut.text.bytes(in: cut.text.byteRange) == [0x61, 0x93] && ends.last == "finished")
    }

    /// Files of the kernel report no length, or that of a page; reads of a megabyte from those in /proc/sys fail (ENOMEM).
    @Test(arguments: ["/proc/sys/kernel/ostype", "/proc/version", "/sys/kernel/mm/transparent_hugepage/enabled"])
    func filesOfTheKernelAreReadLikeOthers(path: String) throws {
        let bytes = contents(path)
        guard !bytes.isEmpty else { return }
        let (store, ends, _) = load(path)
        #expect(ends.last == "finished" && store.text.bytes(in: store.text.byteRange) == bytes)
        let file = try TextFile.read(path)
        #expect(
            TextFile.identity(of: FilePath(path), ifHolding: file.text, format: .utf8) != nil, "nothing has changed")
        #expect(TextFile.identity(of: FilePath(path), ifHolding: "another text", format: .utf8) == nil)
    }

    @Test func anUnreadableFileIsReported() {
        #expect(
            load("/proc/self/mem").1 == [
                "Reading “/proc/self/mem” failed: Input/output error. Check the disk or the network, and open it again."
            ])
    }

    @Test func failuresComeAsEvents() {
        let path = scratch.file("none")
        #expect(load(path).1 == ["There is no file “\(path)”. Check the name, or save to create it."])
    }

    /// Runs everything that was posted before this call.
    private func catchUp(_ inbox: Inbox) {
        let later = Atomic(false)
        inbox.post { later.store(true, ordering: .relaxed) }
        inbox.run { later.load(ordering: .relaxed) }
    }

    @Test(arguments: [0, 3 << 20]) func onlyTheFirstPieceIsReadBeforeMoreIsRequested(_ more: Int) throws {
        let bytes = (0..<TextFileLoader.firstPiece + more).map { UInt8(ascii: "a") + UInt8($0 % 26) }
        let path = scratch.put("file", bytes)
        let inbox = Inbox()
        var text = Rope()
        var isDone = false
        let loader = TextFileLoader(path: path, pausingAfterStart: true, post: { inbox.post($0) }) { event in
            switch event {
            case .started(let file, _): text = file.text
            case .piece(let piece, _): text.append(piece)
            case .finished, .failed: isDone = true
            }
        }
        inbox.run { !text.isEmpty }
        if more > 0 {
            // Changed behind the first piece: what was read ahead would be the old text.
            let descriptor = open(path, O_WRONLY)
            try #require(pwrite(descriptor, "!", 1, off_t(bytes.count - 1)) == 1)
            close(descriptor)
            catchUp(inbox)
            // But for two characters, which may go on behind it.
            #expect(!isDone && text.metrics.bytes == TextFileLoader.firstPiece - 2)
            loader.resume()
            // Harmless.
            loader.resume()
        }
        inbox.run { isDone }
        #expect(text.metrics.bytes == bytes.count)
        #expect(text.bytes(in: text.byteRange).last == (more > 0 ? UInt8(ascii: "!") : bytes.last))
    }

    @Test func afterCancellingNothingComes() {
        let path = scratch.put("file", String(repeating: "x", count: 30 << 20))
        let inbox = Inbox()
        var events = 0
        var loader: TextFileLoader?
        loader = TextFileLoader(path: path, post: { inbox.post($0) }) { _ in
            events += 1
            loader?.cancel()
        }
        inbox.run { events > 0 }
        let later = Atomic(false)
        inbox.post { later.store(true, ordering: .relaxed) }
        inbox.run { later.load(ordering: .relaxed) }
        #expect(events == 1)
    }
}
