import Glibc
import Inkstone
import InkstoneFiles
import InkstoneTesting
import Synchronization
import Testing

@testable import inkstone_editor

/// A file, the text store that it is read into, and a simulated disk that delivers nothing before it is asked to.
final class Desk {
    let path: String
    let store = TextStore()
    let file: EditedFile
    let disk = SlowDisk()
    var events: [String] = []

    init(_ content: String?) throws {
        path = try TemporaryDirectory.make() + "/file"
        file = EditedFile(store: store)
        if let content { try write(content) }
    }

    deinit { TemporaryDirectory.remove(String(path.dropLast(5))) }

    func write(_ content: String) throws {
        let file = try #require(fopen(path, "w"))
        fputs(content, file)
        fclose(file)
    }

    func open(
        encoding: TextEncoding? = nil, guess: EncodingGuess? = nil, acceptingEncoding: Bool = false,
        acceptingBinary: Bool = false, isReturning: Bool = false, pausingAfterStart: Bool = false
    ) {
        file.open(
            FilePath(path), encoding: encoding, guess: guess, acceptingEncoding: acceptingEncoding,
            acceptingBinary: acceptingBinary, pausingAfterStart: pausingAfterStart, isReturning: isReturning,
            post: disk.post
        ) { [unowned self] event in
            switch event {
            case .started: events.append("started")
            case .progressed: events.append("progressed")
            case .finished: events.append("finished")
            case .looksBinary: events.append("looks binary")
            case .failed: events.append("failed")
            }
        }
    }

    func type(_ text: String, at offset: Int) {
        store.replace(ByteOffset(offset)..<ByteOffset(offset), with: text, origin: .typing)
    }

    /// Runs the simulated disk until one of these events is recorded.
    func read(until last: String...) {
        disk.run { events.contains(where: last.contains) }
    }

    /// Reads the file again, and shows the new text if the file could be read.
    func reread(in encoding: TextEncoding, keepingEdits: Bool = false) throws -> TextFileError? {
        try reread(encoding, keepingEdits: keepingEdits)
    }

    /// Reads the file again in its present encoding, and shows the new text if the file could be read.
    func reread() throws -> TextFileError? { try reread(nil, keepingEdits: false) }

    private func reread(_ encoding: TextEncoding?, keepingEdits: Bool) throws -> TextFileError? {
        var result: Result<RereadFile, TextFileError>?
        file.reread(caret: 0, encoding: encoding, keepingEdits: keepingEdits, post: disk.post) { result = $0 }
        disk.run { result != nil }
        switch try #require(result) {
        case .success(let reread): _ = file.adopt(reread) {}
        case .failure(let error): return error
        }
        return nil
    }

    func saved() throws -> String {
        var isSaved = false
        file.save(post: disk.post) { _ in isSaved = true }
        disk.run { isSaved }
        return try #require(try? TextFile.read(path)).text.description
    }
}

extension Result {
    var isSuccess: Bool { if case .success = self { true } else { false } }
}

/// Holds back what a file loader posts, and delivers it only when asked to.
final class SlowDisk: Sendable {
    private let queue = Mutex<[@Sendable () -> Void]>([])

    var post: TextFileLoader.Post {
        { [self] work in queue.withLock { $0.append(work) } }
    }

    /// Runs the posted work until `isDone` returns true, for at most 20 seconds.
    func run(until isDone: () -> Bool) {
        try? waitUntil("the disk", within: 20_000, every: 1) {
            guard !isDone() else { return true }
            let work = queue.withLock { queue in
                defer { queue = [] }
                return queue
            }
            for work in work { work() }
            return isDone()
        }
    }
}
