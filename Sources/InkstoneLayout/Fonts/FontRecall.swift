import CShaping
import InkstoneBase
import Synchronization

/// Access to a cache of fontconfig's answers that the program keeps between runs. With it, the first window need
/// not wait for fontconfig. May be used on any thread.
package struct FontRecall: Sendable {
    /// Returns the cached pattern of the first font for a query; nil if it is not cached.
    package var answer: @Sendable (_ question: String) -> String?
    /// Called with each answer of fontconfig, to cache it.
    package var note: @Sendable (_ pattern: String, _ question: String) -> Void

    /// Creates an access from a lookup function and a function that records answers.
    package init(
        answer: @escaping @Sendable (String) -> String?, note: @escaping @Sendable (String, String) -> Void
    ) {
        (self.answer, self.note) = (answer, note)
    }

    private static let present = Mutex<FontRecall?>(nil)

    /// The cache that all layouts of the process use; initially nil.
    package static var shared: FontRecall? {
        get { present.withLock { $0 } }
        set { present.withLock { $0 = newValue } }
    }
}

/// Direct access to fontconfig, for a program that caches its answers. Calls block for some milliseconds while
/// fontconfig reads its configuration.
package enum SystemFonts {
    /// fontconfig's version number. Does not make fontconfig read its configuration.
    package static var version: Int { Int(cshaping_fonts_version()) }

    /// Makes fontconfig read its configuration. Returns false if that fails.
    @discardableResult
    package static func prepare() -> Bool { cshaping_fonts_prepare() }

    /// The files of fontconfig's configuration, and the directories that it names, whether they exist or not; nil if
    /// fontconfig cannot read its configuration.
    package static var sources: [FilePath]? {
        guard prepare(), let names = cshaping_fonts_sources() else { return nil }
        defer { cshaping_free(names) }
        return FilePath(cString: names).bytes.split(separator: 0x0a).map { FilePath($0) }
    }

    /// Returns fontconfig's answer to a query of ``FontRecall``: the pattern of the first font; nil if there is
    /// none.
    package static func answer(to question: String) -> String? {
        guard let query = FontQuery(question), let list = query.sort() else { return nil }
        defer { cshaping_fontlist_destroy(list) }
        return FontQuery.pattern(of: 0, in: list)
    }
}
