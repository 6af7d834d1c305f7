import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneText
import Synchronization
import Testing
import TextTestSupport

@testable import InkstoneFiles

/// Random typing, saving and faults of the disk, with a crash at each step: what was said to be on the disk is there, once.
@Suite(.timeLimit(.minutes(5))) struct CrashTests {
    let scratch = Scratch()

    /// A typist whose text, journal and file are on a disk that crashes.
    private final class Typist {
        let disk: CrashDisk
        let path: String
        let journals: String
        let store: TextStore
        var random: SeededGenerator
        var journal: RecoveryJournal?
        var versions: [Rope] = []
        var base: JournalBase
        /// The times at which files with some content were written.
        private(set) var times: [[UInt8]: Int] = [:]
        private var files = 0
        /// Small enough for a journal to be folded again and again, with every other seed.
        private let foldedBytes: Int

        init(seed: UInt64, path: String, journals: String) throws {
            foldedBytes = seed.isMultiple(of: 2) ? 500 : 1 << 20
            disk = CrashDisk(seed: seed)
            random = SeededGenerator(seed: seed)
            (self.path, self.journals) = (path, journals)
            let text = Rope("The first line.\nThe second line.\n")
            store = TextStore(text)
            base = JournalBase(path: path, identity: nil)
            versions = [text]
            disk.note(.version(0))
            put(text)
            disk.note(.durable(0))
            try begin()
        }

        func begin() throws {
            journal = try RecoveryJournal(
                of: store, base: base, directory: journals, limits: .init(foldedBytes: foldedBytes),
                disk: disk.journalDisk)
        }

        /// Writes the file as a save does; `announce` is called when its content is safe.
        private func put(_ text: Rope, announce: (FileContents) -> Void = { _ in }) {
            files += 1
            let bytes = text.bytes(in: text.byteRange)
            times[bytes] = files
            let (file, temporary) = (files, path + ".tmp")
            disk.note(.create(path: temporary, file: file))
            disk.note(.write(file: file, offset: 0, bytes))
            disk.note(.sync(file: file))
            announce(FileContents(bytes))
            disk.note(.rename(from: temporary, to: path))
            let identity = FileIdentity(
                device: 1, inode: UInt64(file), size: bytes.count, seconds: file, nanoseconds: 0)
            disk.state.withLock { $0.base = (bytes, identity) }
            base.identity = identity
            disk.note(.syncNames(directory: ""))
        }

        func type() {
            let n = store.text.metrics.bytes
            var builder = TextChangeSet.Builder(over: store.text)
            // Several at once, as when all matches are replaced.
            let count = random.once(in: 4) ? 2 + random.below(20) : 1
            var at = 0
            for i in 0..<count where at <= n {
                let low = at + random.below(min(30, n - at) + 1)
                let high = min(n, low + random.below(4))
                builder.replace(ByteOffset(low)..<ByteOffset(high), with: "\(versions.count).\(i) ")
                at = high + 1
            }
            // Before the journal can have it.
            disk.note(.version(versions.count))
            store.apply(Transaction(on: store, builder.finish(), origin: .typing))
            versions.append(store.text)
        }

        func flush() {
            let version = versions.count - 1
            if journal?.flush(within: 20_000) == true { disk.note(.durable(version)) }
        }

        func save() {
            guard let journal else { return }
            let mark = journal.mark()
            let (saved, version) = (store.text, versions.count - 1)
            if random.once(in: 2) { type() }
            let announce = journal.noteSaves(to: FilePath(path), format: .utf8, keepingAfter: mark)
            put(saved) { contents in
                announce(contents)
                if random.once(in: 2) { type() }
                if random.once(in: 2) { flush() }
            }
            disk.note(.durable(version))
            if random.once(in: 2) { type() }
            if random.once(in: 3) { flush() }
            journal.rebase(to: base, keepingAfter: mark)
            if random.once(in: 2) { flush() }
        }

        /// Reads the file as it is on the disk, whose changes here are thrown away.
        func reload() throws {
            guard let (bytes, _) = disk.state.withLock({ $0.base }) else { return }
            // What was typed is not wanted any more, whether it is found or not.
            disk.note(.version(versions.count))
            disk.note(.durable(versions.count))
            journal?.close(within: 20_000)
            store.replace(store.text.byteRange, with: Rope(bytes: bytes), origin: .load)
            versions.append(store.text)
            disk.state.withLock { $0.isFull = false }
            try begin()
        }

        /// Another program removes the journal, or gives it another name.
        func removeJournal() {
            guard let path = journal?.path else { return }
            disk.note(.exposed)
            disk.note(random.once(in: 2) ? .remove(path: path) : .rename(from: path, to: path + ".away"))
        }

        func step() throws {
            switch random.below(17) {
            case 0..<7: type()
            case 7..<10: flush()
            case 10, 11: save()
            case 12: disk.state.withLock { $0.isFull.toggle() }
            case 13: disk.state.withLock { $0.failingSyncs = random.below(3) }
            case 14: removeJournal()
            case 15: disk.state.withLock { $0.failingNames = random.below(2) }
            default: if random.once(in: 4) { try reload() } else { type() }
            }
        }
    }

    /// Puts the files of a crash where they are looked for.
    private func put(_ files: [String: [UInt8]], path: String, journals: String, times: [[UInt8]: Int]) {
        for name in Scratch.names(in: journals) { unlink("\(journals)/\(name)") }
        unlink(path)
        for (name, bytes) in files where name == path || name.hasSuffix(".journal") {
            let descriptor = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            let time = timespec(tv_sec: times[bytes] ?? 0, tv_nsec: 0)
            futimens(descriptor, [time, time])
            close(descriptor)
        }
    }

    @Test(arguments: UInt64(1)...8)
    func whatIsSaidToBeOnTheDiskIsThereAfterACrashAtAnyStep(number: UInt64) throws {
        let seed = number &+ (isLongTier ? UInt64(getpid()) << 8 : 0)
        print("crashes: seed \(seed)")
        let (path, journals) = (scratch.file("file"), scratch.file("journals"))
        let typist = try Typist(seed: seed, path: path, journals: journals)
        for _ in 0..<60 { try typist.step() }
        typist.disk.state.withLock { $0.isFull = false }
        typist.journal?.abandon(within: 20_000)
        let events = typist.disk.state.withLock { $0.events }
        var image = CrashDisk.Image()
        var random = SeededGenerator(seed: seed &+ 7)
        var (version, durable, recovered, isExposed) = (0, 0, 0, false)
        for (index, event) in events.enumerated() {
            image.apply(event)
            if case .version(let now) = event { version = now }
            if case .durable(let now) = event { (durable, isExposed) = (max(durable, now), false) }
            if case .exposed = event { isExposed = true }
            // Before the file is there nothing was typed.
            guard index > 6, !isExposed else { continue }
            for isKill in [true, false] {
                let files = image.afterCrash(&random, isKill: isKill)
                put(files, path: path, journals: journals, times: typist.times)
                let documents = RecoveredDocument.all(of: path, directory: journals)
                let file = Rope(bytes: files[path] ?? [])
                let usable = documents.filter { $0.state != .corrupt }
                let texts = usable.compactMap { $0.text?.rope } + [file]
                let wanted = typist.versions[durable...version]
                let isThere = texts.contains { text in wanted.contains { $0 == text } }
                recovered += usable.isEmpty ? 0 : 1
                // After a reload the journal of before may come back with a power loss.
                guard !isThere else { continue }
                Issue.record(
                    """
                    seed \(seed), event \(index) of \(events.count), \(isKill ? "kill" : "power loss"): \
                    none of versions \(durable)...\(version)
                    \(files.keys.sorted()) \(events[max(0, index - 24)...index].map { String("\($0)".prefix(90)) }.joined(separator: "\n"))
                    \(documents.map { "\($0.state) \($0.editCount): \($0.text?.rope.description ?? "no text")" })
                    file: \(file.description)
                    wanted: \(wanted.last?.description ?? "")
                    """)
                return
            }
        }
        #expect(recovered > 20, "too few crashes with something to recover: \(recovered)")
    }
}
