import Glibc
import InkstoneBase
import InkstoneTesting
import Synchronization

@testable import InkstoneFiles

/// A simulated disk that records all operations, so that its content after a crash at any moment can be computed:
/// everything synced, and any part of the rest.
final class CrashDisk: Sendable {
    enum Event {
        case create(path: String, file: Int)
        case write(file: Int, offset: Int, [UInt8])
        case truncate(file: Int, size: Int)
        case sync(file: Int)
        /// A sync failed: the system has dropped some of the unwritten data.
        case failedSync(file: Int, seed: UInt64)
        case rename(from: String, to: String)
        case remove(path: String)
        case syncNames(directory: String)
        /// An editor's text has this version now.
        case version(Int, of: Int)
        /// From now on, this version of an editor's text or a later one must survive a crash.
        case durable(Int, of: Int)
        /// An editor's journal was deleted: its content is lost until the next version that must survive.
        case exposed(Int)
        /// The file is no longer the base of an editor's text; `isKnown` says whether the journal has a copy of the
        /// base.
        case base(isKnown: Bool, of: Int)
    }

    struct State {
        var events: [Event] = []
        var files: [Int32: Int] = [:]
        var next: Int32 = 1000
        var isFull = false
        var failingSyncs = 0
        var failingNames = 0
        var random = SeededGenerator(seed: 1)
        /// The document's file.
        var base: (bytes: [UInt8], identity: FileIdentity)?
    }

    let state: Mutex<State>

    init(seed: UInt64) {
        var first = State()
        first.random = SeededGenerator(seed: seed &+ 99)
        state = Mutex(first)
    }

    func note(_ event: Event) { state.withLock { $0.events.append(event) } }

    /// Returns the bytes of a file as a process reads them.
    func bytes(_ path: String) -> [UInt8] {
        var image = Image()
        for event in state.withLock({ $0.events }) { image.apply(event) }
        return image.names[path].flatMap { image.files[$0]?.live } ?? []
    }

    /// Returns the file of a descriptor, and all current files.
    private func now(_ descriptor: Int32) -> (file: Int?, image: Image) {
        let (file, events) = state.withLock { ($0.files[descriptor], $0.events) }
        var image = Image()
        for event in events { image.apply(event) }
        return (file, image)
    }

    var journalDisk: JournalDisk {
        var disk = JournalDisk()
        disk.create = { [self] path, _ in
            state.withLock { state in
                guard !state.isFull else { return .failure(.init(step: "open", code: ENOSPC)) }
                state.next += 1
                state.files[state.next] = Int(state.next)
                state.events.append(.create(path: path.description, file: Int(state.next)))
                return .success(state.next)
            }
        }
        disk.isLocked = { _ in true }
        disk.write = { [self] bytes, descriptor, offset in
            state.withLock { state in
                guard let file = state.files[descriptor] else { return EBADF }
                let count = state.isFull ? state.random.below(bytes.count + 1) : bytes.count
                state.events.append(.write(file: file, offset: offset, Array(bytes.prefix(count))))
                return state.isFull ? ENOSPC : nil
            }
        }
        disk.truncate = { [self] descriptor, size in
            state.withLock { state in
                guard let file = state.files[descriptor] else { return EBADF }
                state.events.append(.truncate(file: file, size: size))
                return nil
            }
        }
        disk.sync = { [self] descriptor in
            state.withLock { state in
                guard let file = state.files[descriptor] else { return EBADF }
                guard state.failingSyncs == 0 else {
                    state.failingSyncs -= 1
                    state.events.append(.failedSync(file: file, seed: state.random.next()))
                    return EIO
                }
                state.events.append(.sync(file: file))
                return nil
            }
        }
        disk.rename = { [self] from, to in
            note(.rename(from: from.description, to: to.description))
            return nil
        }
        disk.syncDirectory = { [self] path in
            state.withLock { state in
                guard state.failingNames == 0 else {
                    state.failingNames -= 1
                    return EIO
                }
                state.events.append(.syncNames(directory: path.description))
                return nil
            }
        }
        disk.remove = { [self] path in
            note(.remove(path: path.description))
            return nil
        }
        disk.read = { [self] descriptor, count in
            let (file, image) = now(descriptor)
            return Array((file.flatMap { image.files[$0]?.live } ?? []).prefix(count))
        }
        disk.isNamed = { [self] descriptor, path in
            let (file, image) = now(descriptor)
            return image.names[path.description] == file
        }
        disk.duplicate = { [self] descriptor in
            state.withLock { state in
                state.next += 1
                state.files[state.next] = state.files[descriptor]
                return state.next
            }
        }
        disk.close = { _, _ in nil }
        disk.base = { [self] _, limit in
            state.withLock { $0.base.map { (FileContents($0.bytes), $0.identity, limit > 0 ? $0.bytes : nil) } }
        }
        return disk
    }

    /// The disk at a moment: its content, and the part that would survive a crash.
    struct Image {
        struct File {
            var live: [UInt8] = []
            var safe: [UInt8] = []
            var unsafe: [Event] = []
        }

        var files: [Int: File] = [:]
        var names: [String: Int] = [:]
        private var safeNames: [String: Int] = [:]
        private var unsafeNames: [Event] = []

        static func change(_ bytes: inout [UInt8], _ event: Event, upTo limit: Int = .max) {
            switch event {
            case .write(_, let offset, let new):
                let part = new.prefix(limit)
                if bytes.count < offset + part.count {
                    bytes += [UInt8](repeating: 0, count: offset + part.count - bytes.count)
                }
                bytes.replaceSubrange(offset..<offset + part.count, with: part)
            case .truncate(_, let size):
                if bytes.count > size { bytes.removeLast(bytes.count - size) }
            default: break
            }
        }

        static func rename(_ names: inout [String: Int], _ event: Event) {
            switch event {
            case .create(let path, let file): names[path] = file
            case .rename(let from, let to):
                if let file = names.removeValue(forKey: from) { names[to] = file }
            case .remove(let path): names[path] = nil
            default: break
            }
        }

        mutating func apply(_ event: Event) {
            switch event {
            case .create, .rename, .remove:
                if case .create(_, let file) = event { files[file] = File() }
                Self.rename(&names, event)
                unsafeNames.append(event)
            case .write(let file, _, _), .truncate(let file, _):
                Self.change(&files[file, default: File()].live, event)
                files[file]?.unsafe.append(event)
            case .sync(let file):
                guard var known = files[file] else { return }
                (known.safe, known.unsafe) = (known.live, [])
                files[file] = known
            case .failedSync(let file, let seed):
                var random = SeededGenerator(seed: seed)
                guard var known = files[file] else { return }
                for event in known.unsafe where random.once(in: 2) { Self.change(&known.safe, event) }
                (known.live, known.unsafe) = (known.safe, [])
                files[file] = known
            case .syncNames:
                safeNames = names
                unsafeNames = []
            case .version, .durable, .exposed, .base: break
            }
        }

        /// Returns the files after a crash, by name. With `isKill`, only the process ends, not the machine.
        func afterCrash(
            _ random: inout SeededGenerator, isKill: Bool
        ) -> [String: (number: Int, bytes: [UInt8])] {
            if isKill { return names.compactMapValues { number in files[number].map { (number, $0.live) } } }
            var names = safeNames
            for event in unsafeNames.prefix(random.below(unsafeNames.count + 1)) { Self.rename(&names, event) }
            var bytes: [Int: [UInt8]] = [:]
            for number in Set(names.values).sorted() {
                guard let file = files[number] else { continue }
                var content = file.safe
                for event in file.unsafe {
                    switch random.below(3) {
                    case 0: Self.change(&content, event)
                    case 1: Self.change(&content, event, upTo: random.below(200))
                    default: break
                    }
                }
                bytes[number] = content
            }
            return names.compactMapValues { number in bytes[number].map { (number, $0) } }
        }
    }
}
