import Glibc
import Inkstone

/// A watch for changes of a file by other programs, with inotify. The folder is watched, because programs that save
/// usually replace the file.
///
/// On a network file system, the watch does not notice changes made on other computers. It notices nothing if the
/// folder cannot be watched, for example because the system has no watches left.
final class FileWatch {
    let path: FilePath
    private let descriptor: Int32
    private unowned let display: Display
    private var timer: TimerID?
    private var isEnded = false
    /// Called on the display's thread, ``delay`` milliseconds after a change.
    private let onChange: () -> Void

    /// The time, in milliseconds, within which successive changes are reported once.
    private static let delay = 200
    private static let mask = UInt32(
        IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE | IN_ONLYDIR | IN_EXCL_UNLINK)

    /// Creates a watch for a file, given by its absolute path. The watch is set up on a background thread, because the
    /// disk may hang. Nil if the system has no descriptor or thread left.
    init?(_ path: FilePath, on display: Display, onChange: @escaping () -> Void) {
        (self.path, self.display, self.onChange) = (path, display, onChange)
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        // Duplicate the descriptor for the thread: before the disk answers, `end()` may close the original, and its
        // number may be reused.
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        let folder = path.directory
        let thread =
            own < 0
            ? nil
            : try? BackgroundThread.start {
                _ = inotify_add_watch(own, folder.cString, Self.mask)
                close(own)
            }
        guard let thread else {
            if own >= 0 { close(own) }
            close(descriptor)
            return nil
        }
        pthread_detach(thread)
        display.addDescriptor(descriptor) { [weak self] in self?.read() }
    }

    func end() {
        guard !isEnded else { return }
        isEnded = true
        display.cancel(timer)
        display.removeDescriptor(descriptor)
        close(descriptor)
    }

    /// Reads the pending events that fit the buffer; the others are read in the next turn of the event loop.
    private func read() {
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count > 0, timer == nil, Self.concern(path.lastComponent, bytes[..<count]) else { return }
        timer = display.schedule(afterMilliseconds: Self.delay) { [weak self] in
            self?.timer = nil
            self?.onChange()
        }
    }

    /// Whether a buffer of events may be about the file called `name`. True also for an event without a name:
    /// events were lost (`IN_Q_OVERFLOW`), or the folder is gone, so the file may have changed.
    static func concern(_ name: FilePath, _ bytes: ArraySlice<UInt8>) -> Bool {
        names(in: bytes).contains { $0.isEmpty || $0 == name.bytes }
    }

    /// Returns the names of the files in a buffer of events, which have the layout described in `inotify(7)`.
    static func names(in bytes: ArraySlice<UInt8>) -> [[UInt8]] {
        var names: [[UInt8]] = []
        var rest = bytes
        let header = MemoryLayout<inotify_event>.size
        while rest.count >= header {
            let length = rest.dropFirst(12).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            names.append(Array(rest.dropFirst(header).prefix(length).prefix { $0 != 0 }))
            rest = rest.dropFirst(header + length)
        }
        return names
    }
}
