import CShaping
import InkstoneBase
import Synchronization

/// What a host remembers of fontconfig's answers, so that the first window need not wait for it. Any thread.
package struct FontRecall: Sendable {
    /// The pattern of the font that comes first for a question; nil if it is not known.
    package var answer: @Sendable (_ question: String) -> String?
    /// Called with what fontconfig has said.
    package var note: @Sendable (_ pattern: String, _ question: String) -> Void

    /// Where to look before fontconfig is asked, and what to tell of its answers.
    package init(
        answer: @escaping @Sendable (String) -> String?, note: @escaping @Sendable (String, String) -> Void
    ) {
        (self.answer, self.note) = (answer, note)
    }

    private static let present = Mutex<FontRecall?>(nil)

    /// What all layouts of the process use from now on; nil at first.
    package static var shared: FontRecall? {
        get { present.withLock { $0 } }
        set { present.withLock { $0 = newValue } }
    }
}

/// fontconfig, for a host that remembers what it says. Blocks for some milliseconds where it has to read its configuration.
package enum SystemFonts {
    /// fontconfig's version, as a number. Does not start it.
    package static var version: Int { Int(cshaping_fonts_version()) }

    /// Has fontconfig read its configuration. False if it cannot.
    @discardableResult
    package static func prepare() -> Bool { cshaping_fonts_prepare() }

    /// The files and directories that fontconfig has read; nil if it cannot start.
    package static var sources: [FilePath]? {
        guard prepare(), let names = cshaping_fonts_sources() else { return nil }
        defer { cshaping_free(names) }
        return FilePath(cString: names).bytes.split(separator: 0x0a).map { FilePath($0) }
    }

    /// The pattern of the font that comes first for a question that ``FontRecall`` was asked; nil if there is none.
    package static func answer(to question: String) -> String? {
        guard let query = FontQuery(question), let list = query.sort() else { return nil }
        defer { cshaping_fontlist_destroy(list) }
        return FontQuery.pattern(of: 0, in: list)
    }
}
