import CUnicode
import Glibc
import InkstoneBase

/// A compiled regular expression in ICU's syntax. Not `Sendable`: one thread at a time.
///
/// `^` and `$` match at every line. Offsets are UTF-16 units. Source: ICU `uregex_*`.
package final class TextPattern {
    /// The reason why a pattern or a search failed.
    package enum Failure: Error, Hashable, Sendable {
        /// The pattern has a syntax error at the UTF-16 offset `at`.
        case syntax(at: Int)
        /// The search has exceeded the time limit of about five seconds, or a limit of memory.
        case tooComplex
        /// ICU's library for regular expressions, libicui18n, cannot be loaded.
        case unavailable
    }

    package enum Outcome: Sendable {
        /// The ranges of the match and of its groups, in order; nil for a group that did not take part in the
        /// match.
        case found([Range<Int>?])
        /// No match starts before the limit of the search. A match may start at this offset, which is at or after the
        /// limit: to find it, continue the search from here.
        case stopped(Int)
        /// No match starts at or after the start of the search.
        case none
    }

    /// A function that reads a range of a text into memory that has room for one unit more than the range. Returns
    /// the offset of the first unit read and the number of units. A surrogate pair cut by the start of the range is
    /// read whole; one cut by the end is left out.
    package typealias Reader = (Range<Int>, UnsafeMutablePointer<UInt16>) -> (first: Int, count: Int)

    /// The function that reads the text, in an object to which C code can keep a pointer.
    private final class Text {
        let read: Reader
        init(_ read: @escaping Reader) { self.read = read }
    }

    /// Whether ICU's functions for regular expressions could be loaded.
    ///
    /// Only these functions of libicui18n are used. The library is loaded for the first pattern: linking with it
    /// would make each start of a program half a millisecond longer. Systems install it in the same package as
    /// libicuuc.
    private static let isAvailable: Bool = {
        let name = "libicui18n.so." + String(cString: cunicode_version())
        guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { return false }
        return cunicode_regex_load(library)
    }()
    /// Longest time of a search in milliseconds, approximately. A person does not wait longer for a result.
    private static let timeLimit: Int32 = 5000

    private let handle: OpaquePointer
    /// Number of groups in the pattern.
    package let groupCount: Int
    private var text = Text { _, _ in (0, 0) }

    /// Creates a compiled pattern. Throws if the pattern has a syntax error, or if ICU's library cannot be loaded.
    package init(_ pattern: String, ignoringCase: Bool) throws(Failure) {
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

    /// Sets the text to search, and keeps `read` for the searches. Throws ``Failure/tooComplex`` if memory ran out.
    ///
    /// - Parameter length: the length of the text in UTF-16 units.
    package func setText(length: Int, read: @escaping Reader) throws(Failure) {
        let new = Text(read)
        let isSet = cunicode_regex_set_text(
            handle,
            { context, start, end, units, first in
                guard let context, let units, let first else { return 0 }
                let text = Unmanaged<Text>.fromOpaque(context).takeUnretainedValue()
                let (start, count) = text.read(Int(start)..<Int(end), units)
                first.pointee = Int64(start)
                return Int32(count)
            }, Unmanaged.passUnretained(new).toOpaque(), Int64(length))
        // Release the old text only now, because ICU may have read it during the call.
        text = new
        guard isSet else { throw .tooComplex }
    }

    /// Releases the text that was set last.
    package func removeText() { try? setText(length: 0) { range, _ in (range.lowerBound, 0) } }

    /// Finds the first match that starts at or after `start` and before `limit`. The match ends at or before `end`;
    /// look-ahead also sees the text after `end`.
    package func find(from start: Int, before limit: Int, upTo end: Int) throws(Failure) -> Outcome {
        var next: Int64 = 0
        switch Int(cunicode_regex_find(handle, Int64(start), Int64(limit), Int64(end), &next)) {
        case CUNICODE_REGEX_NONE: return .none
        case CUNICODE_REGEX_STOPPED: return .stopped(Int(next))
        case CUNICODE_REGEX_FOUND:
            return .found(
                (0...groupCount).map { group in
                    var low: Int64 = -1
                    var high: Int64 = -1
                    cunicode_regex_group(handle, Int32(group), &low, &high)
                    return low >= 0 ? Int(low)..<Int(high) : nil
                })
        default: throw .tooComplex
        }
    }
}

/// Returns the first offset at which `needle` occurs in `bytes`; nil if it does not occur. O(n), near memory speed.
package func firstOffset(of needle: UnsafeBufferPointer<UInt8>, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let base = bytes.baseAddress, let pattern = needle.baseAddress else { return nil }
    return cunicode_find(base, bytes.count, pattern, needle.count).map { $0 - base }
}
