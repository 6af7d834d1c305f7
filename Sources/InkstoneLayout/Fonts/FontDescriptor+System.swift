import CShaping
import Glibc

extension FontDescriptor {
    /// Has fontconfig read its configuration on a thread of its own, so that the first text view need not wait for it
    /// (about 5 ms): call it first thing in a program, after the locale is set. Returns at once.
    ///
    /// With a file to remember in, fontconfig is not asked before a text needs more than is remembered there from the last run:
    /// which font comes first for each style. Call ``confirmSystemFonts()`` when the first window is seen. The file is made by
    /// that, with its directory; it belongs into the user's cache.
    public static func prepareSystemFonts(rememberedIn path: String? = nil) {
        if let path, FontMemory.shared.recall(from: path) { return }
        start { _ in
            // Whoever needs it sooner waits for it there.
            _ = cshaping_fonts_prepare()
            return nil
        }
    }

    /// Asks fontconfig, on a thread of its own, whether what is remembered of it is still true, and has the next run remember
    /// what is. Returns at once.
    public static func confirmSystemFonts() {
        start { _ in
            FontMemory.shared.confirm()
            return nil
        }
    }

    private static func start(_ work: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?) {
        var thread = pthread_t()
        if pthread_create(&thread, nil, work, nil) == 0 { pthread_detach(thread) }
    }

    /// Whether a font of the family, or of one of several named, is installed; also true of the names that fontconfig has for
    /// kinds of fonts, such as `monospace`. Else another font stands in for it.
    public var isInstalled: Bool {
        let kinds: Set = [
            "sans", "sans-serif", "serif", "mono", "monospace", "cursive", "fantasy", "system-ui", "ui-sans-serif",
            "ui-serif", "ui-monospace", "ui-rounded", "emoji", "math",
        ]
        let names = family.prefix { $0 != ":" }.split(separator: ",")
        if names.isEmpty { return true }
        for name in names {
            let name = name.drop { $0 == " " }
            if kinds.contains(String(name.lowercased().filter { $0 != "\\" })) { return true }
        }
        return cshaping_family_exists(family)
    }
}
