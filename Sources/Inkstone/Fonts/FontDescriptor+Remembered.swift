import Glibc
import InkstoneBase
import InkstoneFiles
import InkstoneLayout

/// What the process remembers of fontconfig.
private let memory = FontMemory(
    FontMemory.System(
        version: { SystemFonts.version }, sources: { SystemFonts.sources }, answer: SystemFonts.answer(to:)))

extension FontDescriptor {
    /// Has fontconfig read its configuration on a thread of its own, so that the first text view need not wait for it
    /// (about 5 ms): call it first thing in a program, after the locale is set. Returns at once.
    ///
    /// With a file to remember in, fontconfig is not asked before a text needs more than is remembered there from the last run:
    /// which font comes first for each style. Call ``confirmSystemFonts()`` when the first window is seen. The file is made by
    /// that, with its directory; it belongs into the user's cache.
    public static func prepareSystemFonts(rememberedIn path: FilePath? = nil) {
        if let path {
            FontRecall.shared = FontRecall(answer: memory.answer, note: memory.note)
            if memory.recall(from: path) { return }
        }
        start { _ in
            // Whoever needs it sooner waits for it there.
            SystemFonts.prepare()
            return nil
        }
    }

    /// Asks fontconfig, on a thread of its own, whether what is remembered of it is still true, and has the next run remember
    /// what is. Returns at once.
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
