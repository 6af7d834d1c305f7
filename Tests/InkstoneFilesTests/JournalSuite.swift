import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneText
import InkstoneUnicode
import Synchronization
import Testing
import TextTestSupport

@testable import InkstoneFiles

/// A suite on journals of one file, with a folder of its own.
protocol JournalSuite {
    var scratch: Scratch { get }
}

extension JournalSuite {
    var journals: FilePath { FilePath(scratch.file("journals")) }

    func open(
        _ text: String, device: UInt64? = nil, disk: JournalDisk = JournalDisk()
    ) throws -> (path: String, store: TextStore, journal: RecoveryJournal) {
        let path = scratch.put("file", text)
        var identity = try #require(FileIdentity(path: path))
        if let device { identity.device = device }
        let store = TextStore(Rope(text))
        let base = JournalBase(path: path, identity: identity)
        let journal = RecoveryJournal(of: store, base: base, directory: journals, disk: disk)
        journal.flush(within: 20_000)
        return (path, store, journal)
    }

    func type(_ text: String, in store: TextStore) {
        store.replace(0..<0 as Range<ByteOffset>, with: Rope(text), origin: .typing)
    }

    /// Waits until the journal has the copy of its file.
    func waitForCopy(_ journal: RecoveryJournal) throws {
        try waitUntil("the copy of the file", within: 20_000) {
            journal.flush(within: 20_000) && JournalFormat.decode(contents(journal.path))?.confirmed?.copy != nil
        }
    }
}

/// A switch that several threads see.
final class Switch: Sendable {
    private let value = Mutex(false)

    var isOn: Bool {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
