import Glibc
import InkstoneBase
import InkstoneFiles
import InkstoneLayout

/// The process's cache of fontconfig's answers.
private let memory = FontMemory(
    FontMemory.System(
        version: { SystemFonts.version }, sources: { SystemFonts.sources }, answer: SystemFonts.answer(to:)))

extension FontDescriptor {
    /// Starts to read fontconfig's configuration on a background thread, so that the first text view need not wait for
    /// it (about 5 ms). Call it at the start of a program, after setting the locale. Returns at once.
    ///
    /// The file at `path` keeps answers of the last run: the first font of each style. With these answers, fontconfig
    /// is queried only if a text needs other fonts. Call ``confirmSystemFonts()`` when the first window is visible: it
    /// creates or updates the file and its directory, which belong in the user's cache directory.
    public static func prepareSystemFonts(rememberedIn path: FilePath? = nil) {
        if let path {
            FontRecall.shared = FontRecall(answer: memory.answer, note: memory.note)
            if memory.recall(from: path) { return }
        }
        start { _ in
            // Other threads that need fontconfig meanwhile wait in their own calls of `prepare`.
            SystemFonts.prepare()
            return nil
        }
    }

    /// Checks, on a background thread, whether fontconfig still gives the remembered answers, and saves the present
    /// answers for the next run. Returns at once.
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
