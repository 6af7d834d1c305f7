import Glibc
import InkstoneBase
import InkstoneText
import Synchronization
import InkstoneTesting
import Testing
import TextTestSupport

@testable import InkstoneFiles

/// The roles of child processes: see ``RoleProcess``.
@Suite(.timeLimit(.minutes(5))) struct ChildRoles {
    @Test(.enabled(if: RoleProcess.role != nil)) func childProcessPlaysItsRole() throws {
        let path = try #require(RoleProcess.variable("INKSTONE_CHILD_FILE"))
        switch RoleProcess.role {
        case "type": try Self.type(path)
        case "save": try Self.saveForEver(path)
        case "save once":
            let file = try TextFile.read(path)
            try TextFile.write(file.text, to: path, expecting: file.identity)
        case "save as nobody":
            if geteuid() == 0 {
                try #require(setgid(65534) == 0 && setuid(65534) == 0)
            }
            Self.report { try Self.save("new", path) }
        case "save again": Self.report { try Self.save("new", path) }
        case "save much in place": Self.report { try Self.save(Rope(Self.much), path, .inPlace) }
        case "read as nobody":
            if geteuid() == 0 {
                try #require(setgid(65534) == 0 && setuid(65534) == 0)
            }
            Self.report { _ = try TextFile.read(path) }
        case "fill the disk":
            if let limit = RoleProcess.variable("INKSTONE_CHILD_LIMIT").flatMap(UInt.init) {
                signal(SIGXFSZ, SIG_IGN)
                var most = rlimit(rlim_cur: limit, rlim_max: limit)
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &most)
            } else {
                // The file must be on the small disk.
                _ = try TextFile.write("old", to: path, expecting: nil)
            }
            let big = Rope(String(repeating: "0123456789abcdef", count: 1 << 18))
            Self.report { try TextFile.write(big, to: path, expecting: FileIdentity(path: path)) }
            Self.report {
                guard contents(path) == Array("old".utf8) else { throw TextFileError.notFound(path: "the old text") }
                throw TextFileError.cancelled
            }
        case "type on a slow disk": Self.report { try Self.typeOnASlowDisk(path) }
        case "type on a full disk": Self.report { try Self.typeOnAFullDisk(path) }
        case "type much on a full disk": Self.report { try Self.typeMuchOnAFullDisk(path) }
        default: Issue.record("no such role")
        }
    }

    /// Reports to the parent which error `body` throws, or that there is none.
    private static func report(_ body: () throws -> Void) {
        var text = "no error"
        do { try body() } catch { text = "\(error)" }
        let pipe = RoleProcess.openReport()
        _ = (text + "\n").withCString { write(pipe, $0, strlen($0)) }
        close(pipe)
    }

    // MARK: Typing

    /// The text after some edits, as the typing child makes them.
    static func typed(_ edits: Int, on text: String) -> String {
        var bytes = Array(text.utf8)
        for i in 0..<edits {
            let (low, high, new) = edit(i, length: bytes.count)
            bytes.replaceSubrange(low..<high, with: new.utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func edit(_ i: Int, length: Int) -> (Int, Int, String) {
        i % 7 == 3 ? (length - 3, length, "") : i % 11 == 5 ? (0, 0, "日本\(i)") : (length, length, "word\(i) ")
    }

    /// Types without end, and reports the time of each edit.
    private static func type(_ path: String) throws {
        let directory = try #require(RoleProcess.variable("INKSTONE_CHILD_JOURNALS"))
        let file = try TextFile.read(path)
        let store = TextStore(file.text)
        let base = JournalBase(path: path, identity: file.identity, format: file.format)
        let journal = RecoveryJournal(of: store, base: base, directory: FilePath(directory))
        let pipe = RoleProcess.openReport()
        for i in 0..<1_000_000 {
            let (low, high, new) = edit(i, length: store.text.metrics.bytes)
            store.replace(ByteOffset(low)..<ByteOffset(high), with: new, origin: .typing)
            var time = Self.milliseconds()
            guard write(pipe, &time, 8) == 8 else { break }
            // Pause, so that some edits are older than a second, and there are not too many.
            try TypistPace.pause(1)
        }
        journal.close()
    }

    static func milliseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }

    /// Types until the disk is busy, types on, and throws whether those edits reached the file meanwhile.
    private static func typeOnASlowDisk(_ path: String) throws {
        let store = TextStore()
        let journal = RecoveryJournal(
            of: store, base: JournalBase(path: nil, identity: nil), directory: FilePath(path + ".journals"))
        store.replace(0..<0 as Range<ByteOffset>, with: "before ")
        try waitUntil("the disk to be at work", within: 20_000) { journal.isSyncing }
        store.replace(0..<0 as Range<ByteOffset>, with: "meanwhile ")
        try waitUntil("both edits in the journal", within: 20_000) {
            JournalFormat.decode(contents(journal.path))?.edits.count == 2
        }
        throw Seen(description: "written meanwhile: \(journal.isSyncing)")
    }

    /// The observations while the disk was full for some time.
    struct Seen: Error, CustomStringConvertible {
        var description: String
    }

    /// Types while the journal's disk is full, frees space, types on, and throws the observations.
    private static func typeOnAFullDisk(_ path: String) throws {
        let directory = path + ".journals"
        let store = TextStore()
        let failures = Mutex<[String]>([])
        let journal = RecoveryJournal(
            of: store, base: JournalBase(path: nil, identity: nil), directory: FilePath(directory)
        ) { error in failures.withLock { $0.append(error.description) } }
        func type(_ text: String) {
            let end = store.text.byteRange.upperBound
            store.replace(end..<end, with: text, origin: .typing)
        }
        type("before ")
        journal.flush()
        // Another file takes all remaining space.
        let ballast = open(path, O_WRONLY | O_CREAT, 0o600)
        let block = [UInt8](repeating: 0x78, count: 4096)
        while write(ballast, block, block.count) > 0 {}
        close(ballast)
        let long = String(repeating: "0123456789abcdef", count: 4096)
        for i in 0..<3 {
            type("\(i)" + long)
            journal.flush()
        }
        let during = JournalFormat.decode(contents(journal.path))
        let reported = failures.withLock { $0 }
        unlink(path)
        journal.flush()
        type("after")
        journal.abandon()
        let copy = TextStore()
        let document = RecoveredDocument.all(directory: FilePath(directory)).first
        document?.apply(to: copy)
        throw Seen(
            description: "said \(reported.count) times, whole meanwhile: \(during?.isWhole == true), "
                + "behind meanwhile: \((during?.edits.count ?? 9) < 4), "
                + "all back: \(document?.state == .intact && copy.text == store.text) | \(reported.first ?? "")")
    }

    /// Types far more than the journal may hold while its disk is full, saves in between, frees space, types on,
    /// and throws the observations.
    private static func typeMuchOnAFullDisk(_ path: String) throws {
        let directory = path + ".journals"
        var random = SeededGenerator(seed: 5)
        let store = TextStore(Rope(String(repeating: "0123456789abcde\n", count: 40_000)))
        let reports = Mutex<(failed: Int, resumed: Int)>((0, 0))
        let limit = 50_000
        let base = JournalBase(path: nil, identity: nil)
        let journal = RecoveryJournal(
            of: store, base: base, directory: FilePath(directory), limits: .init(unwrittenBytes: limit)
        ) { _ in
            reports.withLock { $0.failed += 1 }
        } onResumption: {
            reports.withLock { $0.resumed += 1 }
        }
        journal.flush()
        // Another file takes all remaining space.
        let ballast = open(path, O_WRONLY | O_CREAT, 0o600)
        let block = [UInt8](repeating: 0x78, count: 4096)
        while write(ballast, block, block.count) > 0 {}
        close(ballast)
        var most = 0
        func type(_ count: Int) {
            for i in 0..<count {
                // Type in the last third, so that the changed range is not the whole text.
                let n = store.text.metrics.bytes
                let at = ByteOffset(n - random.below(n / 3))
                store.replace(at..<(at + random.below(9)), with: "edit \(i) " + String(repeating: "é", count: 200))
                most = max(most, journal.heldBytes)
                if i % 64 == 0 { journal.flush() }
            }
        }
        type(400)
        // After a save, the journal starts anew on that base, and finds no space either.
        let mark = journal.mark()
        let saved = store.text
        type(400)
        journal.rebase(to: base, keepingAfter: mark)
        journal.flush()
        type(10)
        let reported = reports.withLock { $0 }
        unlink(path)
        journal.flush()
        let resumed = reports.withLock { $0 }
        type(10)
        journal.abandon()
        let document = RecoveredDocument.all(directory: FilePath(directory)).first
        let copy = TextStore(saved)
        document?.apply(to: copy)
        throw Seen(
            description: "failures \(reported.failed), within the limit: \(most <= limit + 10_000), "
                + "resumed \(resumed.resumed), edits few: \((document?.editCount ?? 999) < 200), "
                + "all back: \(document?.state == .intact && copy.text == store.text)")
    }

    // MARK: Saving

    /// A text of 3 MB.
    static let much = String(repeating: "0123456789abcdef", count: 3 << 16)

    /// Saves a text by the method that the parent requests, and throws the result.
    private static func save(_ text: Rope, _ path: String, _ method: SaveMethod? = nil) throws {
        let methods: [String: SaveMethod] = ["in place": .inPlace, "replacing": .replacing]
        let asked = RoleProcess.variable("INKSTONE_CHILD_METHOD").flatMap { methods[$0] }
        let saved = try TextFile.write(
            text, to: FilePath(path), expecting: FileIdentity(path: FilePath(path)),
            method: method ?? asked ?? .automatic)
        if let reason = saved.reasonInPlace {
            throw Seen(
                description: SavedFile(identity: saved.identity, path: saved.path, reasonInPlace: reason).notice ?? "")
        }
    }

    /// The text of a save: its number, and a length that follows from it.
    static func saved(_ i: Int) -> String {
        "save \(i)\n" + String(repeating: "x\(i % 10)", count: 1000 + i * 7919 % 300_000)
    }

    private static func saveForEver(_ path: String) throws {
        var identity = try #require(FileIdentity(path: path))
        let pipe = RoleProcess.openReport()
        for i in 1..<1_000_000 {
            identity = try TextFile.write(Rope(saved(i)), to: path, expecting: identity).identity
            var one: UInt8 = 1
            guard write(pipe, &one, 1) == 1 else { break }
        }
    }
}
