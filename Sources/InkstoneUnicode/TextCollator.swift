import CUnicode
import Glibc

/// The sorting order of texts in a language, as in its dictionaries (UTS #10).
package struct TextCollator: ~Copyable {
    /// Whether ICU's collation library could be loaded. The library is loaded when first needed. A program that
    /// never sorts does not load it.
    private static let isAvailable: Bool = {
        let name = "libicui18n.so." + String(cString: cunicode_version())
        guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { return false }
        return cunicode_collator_load(library)
    }()

    private let collator: OpaquePointer?

    /// Creates the order of a locale, such as `de` or `sv`; nil for the user's language. If ICU's library or data is
    /// missing, texts are ordered by their scalars.
    package init(locale: String? = nil) {
        if !Self.isAvailable {
            collator = nil
        } else if let locale {
            collator = cunicode_collator_create(locale)
        } else {
            collator = cunicode_collator_create(nil)
        }
    }

    deinit { cunicode_collator_destroy(collator) }

    /// Whether a text sorts before another. Of two texts that compare equal in the language, the one with the lower
    /// bytes is first. O(n).
    package func precedes(_ first: String, _ second: String) -> Bool {
        guard let collator, let lengths = Self.lengths(first, second) else { return first < second }
        var (first, second) = (first, second)
        let order = first.withUTF8 { a in
            second.withUTF8 { b in
                a.withMemoryRebound(to: CChar.self) { a in
                    b.withMemoryRebound(to: CChar.self) { b in
                        cunicode_collator_compare(collator, a.baseAddress, lengths.0, b.baseAddress, lengths.1)
                    }
                }
            }
        }
        return order == 0 ? first.utf8.lexicographicallyPrecedes(second.utf8) : order < 0
    }

    private static func lengths(_ first: String, _ second: String) -> (Int32, Int32)? {
        guard let a = Int32(exactly: first.utf8.count), let b = Int32(exactly: second.utf8.count) else { return nil }
        return (a, b)
    }
}
