import Glibc
import InkstoneBase
import InkstoneFiles
import InkstoneLayout

/// The process's memory of fontconfig's answers.
private let memory = FontMemory(
    FontMemory.System(
        version: { SystemFonts.version }, sources: { SystemFonts.sources }, answer: SystemFonts.answer(to:)))

extension FontDescriptor {
    /// Has fontconfig read its configuration on a thread of its own, so that the first text view need not wait for it (about 5 ms): call it first
    /// thing in a program, after the locale is set. Returns at once.
    ///
    /// With a file, fontconfig is not queried before a text needs more than the file remembers from the last run: the first font for each style.
    /// Call ``confirmSystemFonts()`` when the first window is seen. That call makes the file, with its directory; it belongs into the user's cache.
    public static func prepareSystemFonts(rememberedIn path: FilePath? = nil) {
        if let path {
            FontRecall.shared = FontRecall(answer: memory.answer, note: memory.note)
            if memory.recall(from: path) { return }
        }
        start { _ in
            // A thread that needs fontconfig sooner waits for it in `prepare`.
            SystemFonts.prepare()
            return nil
        }
    }

    /// Checks, on a thread of its own, whether the remembered answers of fontconfig are still true, and remembers the true ones for the next run.
    /// Returns at once.
    public static func confirmSystemFonts() {
        start { _ in
            memory.confirm()
            return nil
        }
    }

    private static func start(_ work: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?) {
        var thread = pthread_t()
        if pthread_create(&thread, nil, work, nil) == 0 { pthread_detach(thread) }
    }
}
