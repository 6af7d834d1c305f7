import CUnicode
import Glibc
import InkstoneBase

/// A regular expression in ICU's syntax, ready to be found in pieces of text. Not `Sendable`: one thread at a time.
///
/// `^` and `$` match at every line. Offsets are UTF-16 units. Source: ICU `uregex_*`.
public final class TextPattern {
    /// Why there is no answer.
    public enum Failure: Error, Hashable, Sendable {
        /// The pattern is not understood from that UTF-16 unit on.
        case syntax(at: Int)
        /// Finding it takes more time or memory than is reasonable.
        case tooComplex
        /// ICU's library for regular expressions, libicui18n, cannot be loaded.
        case unavailable
    }

    /// What was found.
    public struct Match: Sendable {
        /// Where it is, and where its groups are, in order; nil for a group that took no part.
        public var groups: [Range<Int>?]
        /// Whether more text at the end could have changed the outcome.
        public var hitEnd: Bool
    }

    /// Whether ICU's functions for regular expressions are there.
    ///
    /// They are all that is used of libicui18n, and each start of a program that is linked with it takes half a millisecond
    /// longer: so it is loaded for the first of them. It comes in one package with libicuuc.
    private static let isAvailable: Bool = {
        let name = "libicui18n.so." + String(cString: cunicode_version())
        guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { return false }
        return cunicode_regex_load(library)
    }()
    /// Milliseconds, about: a search that takes longer is not one that a person waits for.
    private static let timeLimit: Int32 = 5000

    private let handle: OpaquePointer
    /// Number of groups in the pattern.
    public let groupCount: Int
    private var text: [UInt16] = []

    /// Compiles a pattern.
    public init(_ pattern: String, ignoringCase: Bool) throws(Failure) {
        guard Self.isAvailable else { throw .unavailable }
        var offset: Int32 = 0
        let units = Array(pattern.utf16)
        let options = Int32(CUNICODE_REGEX_MULTILINE | (ignoringCase ? CUNICODE_REGEX_IGNORE_CASE : 0))
        let handle = units.withUnsafeBufferPointer { buffer in
            cunicode_regex_create(buffer.baseAddress, Int32(buffer.count), options, Self.timeLimit, &offset)
        }
        guard let handle else { throw .syntax(at: max(0, Int(offset))) }
        self.handle = handle
        groupCount = Int(cunicode_regex_group_count(handle))
    }

    deinit { cunicode_regex_destroy(handle) }

    /// Finds the first match that starts at `start` or later in a text; nil if there is none, with `hitEnd` telling
    /// whether more text could have made one.
    public func find(in units: [UInt16], from start: Int) throws(Failure) -> (match: Match?, hitEnd: Bool) {
        var hitEnd: Int32 = 0
        text = units
        let outcome = text.withUnsafeBufferPointer { buffer -> Int32 in
            var nothing: UInt16 = 0
            return withUnsafePointer(to: &nothing) { nothing in
                cunicode_regex_set_text(handle, buffer.baseAddress ?? nothing, Int32(buffer.count))
                return cunicode_regex_find(handle, Int32(start), &hitEnd)
            }
        }
        switch Int(outcome) {
        case CUNICODE_REGEX_NONE: return (nil, hitEnd != 0)
        case CUNICODE_REGEX_FOUND:
            let groups = (0...groupCount).map { group -> Range<Int>? in
                var low: Int32 = -1
                var high: Int32 = -1
                cunicode_regex_group(handle, Int32(group), &low, &high)
                return low >= 0 ? Int(low)..<Int(high) : nil
            }
            return (Match(groups: groups, hitEnd: hitEnd != 0), hitEnd != 0)
        default: throw .tooComplex
        }
    }
}

/// The first place of some bytes in others, as an offset; nil if they are not there. O(n), near memory speed.
package func firstOffset(of needle: UnsafeBufferPointer<UInt8>, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let base = bytes.baseAddress, let pattern = needle.baseAddress else { return nil }
    return cunicode_find(base, bytes.count, pattern, needle.count).map { $0 - base }
}
