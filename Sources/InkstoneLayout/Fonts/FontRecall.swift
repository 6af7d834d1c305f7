import CShaping
import InkstoneBase
import Synchronization

/// A host's memory of fontconfig's answers, so that the first window need not wait for fontconfig. Any thread.
package struct FontRecall: Sendable {
    /// Returns the remembered pattern of the first font for a query; nil if it is not known.
    package var answer: @Sendable (_ question: String) -> String?
    /// Called with each answer of fontconfig.
    package var note: @Sendable (_ pattern: String, _ question: String) -> Void

    /// Creates a memory from a lookup function and a function that records answers.
    package init(
        answer: @escaping @Sendable (String) -> String?, note: @escaping @Sendable (String, String) -> Void
    ) {
        (self.answer, self.note) = (answer, note)
    }

    private static let present = Mutex<FontRecall?>(nil)

    /// The memory that all layouts of the process use from now on; initially nil.
    package static var shared: FontRecall? {
        get { present.withLock { $0 } }
        set { present.withLock { $0 = newValue } }
    }
}

/// fontconfig, for a host that remembers its answers. Blocks for some milliseconds when fontconfig reads its configuration.
package enum SystemFonts {
    /// fontconfig's version, as a number. Does not start fontconfig.
    package static var version: Int { Int(cshaping_fonts_version()) }

    /// Makes fontconfig read its configuration. Returns false if it cannot.
    @discardableResult
    package static func prepare() -> Bool { cshaping_fonts_prepare() }

    /// The files and directories that fontconfig has read; nil if it cannot start.
    package static var sources: [FilePath]? {
        guard prepare(), let names = cshaping_fonts_sources() else { return nil }
        defer { cshaping_free(names) }
        return FilePath(cString: names).bytes.split(separator: 0x0a).map { FilePath($0) }
    }

    /// Returns the pattern of the first font for a query of ``FontRecall``; nil if there is none.
    package static func answer(to question: String) -> String? {
        guard let query = FontQuery(question), let list = query.sort() else { return nil }
        defer { cshaping_fontlist_destroy(list) }
        return FontQuery.pattern(of: 0, in: list)
    }
}
