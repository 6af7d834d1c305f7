import InkstoneBase
import InkstoneText
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Writes a text to a file on a thread of its own, as ``TextFile/write(_:to:format:expecting:overwriting:)`` does, while
/// the document is edited on: a ``Rope`` is a value.
///
/// The result comes once, on the owner's thread: through the closure that it passes in, or from ``wait()``.
public final class TextFileSaver: Sendable {
    /// What a save comes to: what the file is now, or why it is as it was.
    public typealias Outcome = Result<FileIdentity, TextFileError>

    private let write: @Sendable () -> Outcome
    private let post: TextFileLoader.Post
    // Not Sendable, but called only by what `post` runs on the owner's thread.
    nonisolated(unsafe) private let receive: (Outcome) -> Void
    // Used on the owner's thread alone.
    nonisolated(unsafe) private var thread: pthread_t?
    private let outcome = Mutex<Outcome?>(nil)

    /// Starts to write. `post` runs a closure on the owner's thread; `receive` is called there with the outcome.
    public init(
        _ text: Rope, to path: String, format: TextFileFormat = .utf8, expecting: FileIdentity?,
        overwriting: Bool = false, post: @escaping TextFileLoader.Post, receive: @escaping (Outcome) -> Void
    ) {
        write = {
            Result { () throws(TextFileError) in
                try TextFile.write(text, to: path, format: format, expecting: expecting, overwriting: overwriting)
            }
        }
        self.post = post
        self.receive = receive
        do throws(BackgroundThread.Failure) {
            thread = try BackgroundThread.start { [self] in run() }
        } catch {
            // Without a thread it takes this one.
            run()
        }
    }

    private func run() {
        let result = write()
        outcome.withLock { $0 = result }
        post { [self] in
            if let outcome = end() { receive(outcome) }
        }
    }

    /// The outcome, once.
    private func end() -> Outcome? {
        if let thread { pthread_join(thread, nil) }
        thread = nil
        return outcome.withLock { outcome in
            defer { outcome = nil }
            return outcome
        }
    }

    /// Waits for the end, and gives the outcome in place of `receive`: for a loop that is not run any more. Nil if
    /// `receive` had it already. Only on the owner's thread.
    public func wait() -> Outcome? { end() }
}
