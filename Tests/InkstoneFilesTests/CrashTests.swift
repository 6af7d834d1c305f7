import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneText
import Synchronization
import Testing
import TextTestSupport

@testable import InkstoneFiles

/// Random typing, saving and disk faults by two editors and another program, with a crash at each step: everything
/// reported as durable is on the disk, once.
@Suite(.timeLimit(.minutes(5))) struct CrashTests {
    let scratch = Scratch()

    /// A file shared by several editors on a disk that crashes.
    private final class SharedFile {
        let disk: CrashDisk
        let path: String
        private var files = 0
        var editors: [Typist] = []

        init(seed: UInt64, path: String) {
            disk = CrashDisk(seed: seed)
            self.path = path
        }

        /// The file's content and identity.
        var now: (bytes: [UInt8], identity: FileIdentity)? { disk.state.withLock { $0.base } }

        /// Writes the file as a save does. `announce` is called when the content is durable, and returns whether it
        /// may replace the file.
        @discardableResult
        func put(_ text: Rope, announce: (FileContents) -> Bool = { _ in true }) -> FileIdentity? {
            files += 1
            let bytes = text.bytes(in: text.byteRange)
            let (file, temporary) = (files, path + ".tmp\(files)")
            disk.note(.create(path: temporary, file: file))
            disk.note(.write(file: file, offset: 0, bytes))
            disk.note(.sync(file: file))
            guard announce(FileContents(bytes)) else {
                disk.note(.remove(path: temporary))
                return nil
            }
            disk.note(.rename(from: temporary, to: path))
            let identity = FileIdentity(
                device: 1, inode: UInt64(file), size: bytes.count, seconds: file, nanoseconds: 0)
            disk.state.withLock { $0.base = (bytes, identity) }
            disk.note(.syncNames(directory: ""))
            return identity
        }

        /// Changes the file by another program or an editor's save; all other editors then have an old base.
        func change(by editor: Typist? = nil, _ write: () -> Void) {
            let others = editors.filter { $0 !== editor }
            for other in others { other.prepareForChange() }
            write()
        }

        func changeByAnotherProgram(_ random: inout SeededGenerator) {
            let text = Rope("Another program's \(files).\nThe second line.\n")
            let isBrief = random.once(in: 3)
            change { put(isBrief ? Rope("\(files)") : text) }
        }
    }

    /// A simulated user whose text, journal and file are on a disk that crashes.
    private final class Typist {
        let number: Int
        let file: SharedFile
        let disk: CrashDisk
        let path: String
        let journals: String
        let store: TextStore
        var random: SeededGenerator
        var journal: RecoveryJournal?
        var versions: [Rope] = []
        var base: JournalBase
        /// The text of the base file, and its version.
        private var saved: (text: Rope, version: Int)
        /// The changed file in spite of which the user keeps the text.
        private var kept: FileIdentity?
        private let limits: RecoveryJournal.Limits

        init(_ number: Int, of file: SharedFile, seed: UInt64, journals: String) throws {
            self.number = number
            self.file = file
            // With half of the seeds, the journal's limit is small enough to compact it repeatedly; with some, it
            // has no copy of the file.
            limits = .init(
                copiedBytes: seed % 3 == 0 ? 0 : 4 << 20, uncollapsedBytes: seed.isMultiple(of: 2) ? 500 : 1 << 20)
            disk = file.disk
            random = SeededGenerator(seed: seed &+ UInt64(number) &* 1000)
            (path, self.journals) = (file.path, journals)
            let (bytes, identity) = try #require(file.now)
            let text = Rope(bytes: bytes)
            store = TextStore(text)
            base = JournalBase(path: path, identity: identity)
            versions = [text]
            saved = (text, 0)
            disk.note(.version(0, of: number))
            disk.note(.durable(0, of: number))
            try begin()
        }

        func begin() throws {
            journal = RecoveryJournal(
                of: store, base: base, directory: FilePath(journals), limits: limits, disk: disk.journalDisk)
        }

        func type() {
            let n = store.text.metrics.bytes
            var builder = TextChangeSet.Builder(over: store.text)
            // Several edits at once, as by Replace All.
            let count = random.once(in: 4) ? 2 + random.below(20) : 1
            var at = 0
            for i in 0..<count where at <= n {
                let low = at + random.below(min(30, n - at) + 1)
                let high = min(n, low + random.below(4))
                builder.replace(ByteOffset(low)..<ByteOffset(high), with: "\(number).\(versions.count).\(i) ")
                at = high + 1
            }
            apply(builder.finish())
        }

        private func apply(_ changes: TextChangeSet) {
            // Record the version before the journal can contain it.
            disk.note(.version(versions.count, of: number))
            store.apply(Transaction(on: store, changes, origin: .typing))
            versions.append(store.text)
        }

        /// Waits for the disk. Returns whether all edits are durable, and whether the base is known even if the
        /// file changes.
        @discardableResult
        func flush() -> (isDurable: Bool, isKnown: Bool) {
            let version = versions.count - 1
            // Edits made during the wait may not be durable, and a new base has no copy yet.
            let hadCopy = journal.map(holdsCopy) ?? false
            guard let journal, journal.flush(within: 20_000) else { return (false, false) }
            // After a save, the base is known only if the journal has a copy of it.
            let isKnown = version > saved.version && hadCopy && holdsCopy(journal)
            noteBase(isKnown: isKnown)
            disk.note(.durable(version, of: number))
            return (true, isKnown)
        }

        private func holdsCopy(_ journal: RecoveryJournal) -> Bool {
            JournalFormat.decode(disk.bytes(journal.path.description))?.confirmed?.copy != nil
        }

        /// Records whether the base of the edits is available, in the file or in the journal.
        private func noteBase(isKnown: Bool = false) {
            disk.note(.base(isKnown: isKnown || base.identity == file.now?.identity, of: number))
        }

        /// Prepares for a change of the file.
        func prepareForChange() { disk.note(.base(isKnown: flush().isKnown, of: number)) }

        func save() {
            guard let journal else { return }
            // The save asks about another program's change; here the user overwrites it.
            kept = file.now?.identity
            let mark = journal.mark()
            let (text, version) = (store.text, versions.count - 1)
            if random.once(in: 2) { type() }
            let announce = journal.noteSaves(to: FilePath(path), format: .utf8, keepingAfter: mark)
            var identity: FileIdentity?
            file.change(by: self) {
                identity = file.put(text) { contents in
                    announce(contents)
                    if random.once(in: 2) { type() }
                    if random.once(in: 2) { flush() }
                    // Another program writes the file at this moment.
                    if random.once(in: 4) { file.changeByAnotherProgram(&random) }
                    return file.now?.identity == kept
                }
            }
            guard let identity else { return }
            base.identity = identity
            saved = (text, version)
            noteBase()
            disk.note(.durable(version, of: number))
            if random.once(in: 2) { type() }
            if random.once(in: 3) { flush() }
            journal.rebase(to: base, keepingAfter: mark)
            if random.once(in: 2) { flush() }
        }

        /// Keeps the text although another program has changed the file.
        func keep() throws {
            guard let journal, let identity = base.identity, identity != file.now?.identity else { return }
            journal.keepCopy(of: saved.text, .utf8, read: identity)
            guard random.once(in: 2) else { return }
            guard flush().isDurable, versions.count - 1 > saved.version else { return }
            // Another thread writes the copy.
            try waitUntil("the copy", within: 20_000) { !journal.flush(within: 20_000) || holdsCopy(journal) }
            flush()
        }

        /// Reloads the file and discards the edits.
        func reload() throws {
            guard let (bytes, identity) = file.now else { return }
            // Discarded edits may or may not be found after a crash.
            disk.note(.version(versions.count, of: number))
            disk.note(.durable(versions.count, of: number))
            journal?.close(within: 20_000)
            store.replace(store.text.byteRange, with: Rope(bytes: bytes), origin: .load)
            versions.append(store.text)
            (base.identity, saved) = (identity, (store.text, versions.count - 1))
            noteBase()
            disk.state.withLock { $0.isFull = false }
            try begin()
        }

        /// Reads the file again and applies the edits to it, with the existing journal.
        func readAgain() {
            guard let journal, let (bytes, identity) = file.now, base.identity == identity else { return }
            let edits = TextChangeSet(from: saved.text, to: store.text)
            guard !edits.isEmpty else { return }
            let wanted = store.text
            let mark = journal.together {
                store.apply(
                    Transaction(on: store, TextChangeSet(from: store.text, to: Rope(bytes: bytes)), origin: .typing))
                let mark = journal.mark()
                store.apply(Transaction(on: store, TextChangeSet(from: store.text, to: wanted), origin: .typing))
                return mark
            }
            journal.rebase(to: base, keepingAfter: mark)
        }

        /// Another program deletes or renames the journal.
        func removeJournal() {
            guard let path = journal?.path.description else { return }
            disk.note(.exposed(number))
            disk.note(random.once(in: 2) ? .remove(path: path) : .rename(from: path, to: path + ".away"))
        }

        func step() throws {
            switch random.below(21) {
            case 0..<7: type()
            case 7..<10: flush()
            case 10, 11: save()
            case 12: disk.state.withLock { $0.isFull.toggle() }
            case 13: disk.state.withLock { $0.failingSyncs = random.below(3) }
            case 14: removeJournal()
            case 15: disk.state.withLock { $0.failingNames = random.below(2) }
            case 16: file.changeByAnotherProgram(&random)
            case 17: try keep()
            case 18: readAgain()
            default: if random.once(in: 4) { try reload() } else { type() }
            }
        }
    }

    /// Writes the files of a crash to where recovery searches for them.
    private func put(_ files: [String: (number: Int, bytes: [UInt8])], path: String, journals: String) {
        for name in Scratch.names(in: journals) { unlink("\(journals)/\(name)") }
        unlink(path)
        for (name, file) in files where name == path || name.hasSuffix(".journal") {
            let descriptor = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            _ = file.bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            // The modification time is a part of a file's identity.
            let time = timespec(tv_sec: file.number, tv_nsec: 0)
            futimens(descriptor, [time, time])
            close(descriptor)
        }
    }

    /// The seeds of this run: `INKSTONE_SEED` alone if it is set, to see one again, or `INKSTONE_SEEDS` of them from there on.
    static let seeds: [UInt64] = {
        let first = UInt64(environment("INKSTONE_SEED", default: isLongTier ? Int(getpid()) << 8 + 1 : 1))
        let count = environment("INKSTONE_SEEDS", default: getenv("INKSTONE_SEED") == nil ? 8 : 1)
        return (0..<UInt64(count)).map { first + $0 }
    }()

    @Test(arguments: seeds)
    func durableEditsSurviveACrashAtAnyStep(seed: UInt64) throws {
        print("crashes: INKSTONE_SEED=\(seed) does it again")
        let (path, journals) = (scratch.file("file"), scratch.file("journals"))
        let file = SharedFile(seed: seed, path: path)
        file.put("The first line.\nThe second line.\n")
        for editor in 0..<2 { file.editors.append(try Typist(editor, of: file, seed: seed, journals: journals)) }
        var order = SeededGenerator(seed: seed &+ 3)
        for _ in 0..<70 { try file.editors[order.below(2)].step() }
        file.disk.state.withLock { $0.isFull = false }
        for editor in file.editors { editor.journal?.abandon(within: 20_000) }
        let events = file.disk.state.withLock { $0.events }
        var image = CrashDisk.Image()
        var random = SeededGenerator(seed: seed &+ 7)
        var (version, durable) = ([0, 0], [0, 0])
        var (isExposed, isBaseKnown, recovered) = ([false, false], [true, true], 0)
        for (index, event) in events.enumerated() {
            image.apply(event)
            switch event {
            case .version(let now, let editor): version[editor] = now
            case .durable(let now, let editor):
                (durable[editor], isExposed[editor]) = (max(durable[editor], now), false)
            case .exposed(let editor): isExposed[editor] = true
            case .base(let isKnown, let editor): isBaseKnown[editor] = isKnown
            default: break
            }
            // Nothing was typed before the file existed.
            guard index > 6 else { continue }
            for isKill in [true, false] {
                let files = image.afterCrash(&random, isKill: isKill)
                put(files, path: path, journals: journals)
                let documents = RecoveredDocument.all(of: path, directory: FilePath(journals))
                let now = Rope(bytes: files[path]?.bytes ?? [])
                let usable = documents.filter { $0.state != .corrupt }
                let texts = usable.compactMap { $0.text?.rope } + [now]
                recovered += usable.isEmpty ? 0 : 1
                for editor in 0..<2 where !isExposed[editor] && isBaseKnown[editor] {
                    let wanted = file.editors[editor].versions[durable[editor]...version[editor]]
                    // After a reload, a power failure may bring back the old journal.
                    guard !texts.contains(where: { text in wanted.contains { $0 == text } }) else { continue }
                    Issue.record(
                        """
                        seed \(seed), event \(index) of \(events.count), \(isKill ? "kill" : "power loss"): \
                        none of versions \(durable[editor])...\(version[editor]) of editor \(editor)
                        \(files.keys.sorted()) \(events[max(0, index - 24)...index].map { String("\($0)".prefix(90)) }.joined(separator: "\n"))
                        \(documents.map { "\($0.state) \($0.editCount): \($0.text?.rope.description ?? "no text")" })
                        file: \(now.description)
                        wanted: \(wanted.last?.description ?? "")
                        """)
                    return
                }
            }
        }
        #expect(recovered > 20, "too few crashes with something to recover: \(recovered)")
    }
}
