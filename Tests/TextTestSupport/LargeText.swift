import Glibc
import InkstoneText

/// Texts too large to be held once for each test.
package enum LargeText {
    /// At least so many bytes of a pattern that ends with a newline. Its parts are shared: a gigabyte takes some megabytes of memory.
    package static func repeating(_ pattern: String, bytes count: Int) -> Rope {
        let bytes = Array(pattern.utf8)
        var builder = RopeBuilder()
        var length = 0
        while length < min(count, 1 << 20) {
            bytes.withUnsafeBytes { builder.append($0) }
            length += bytes.count
        }
        let block = builder.finish()
        var doubled = block
        var text = Rope()
        // Half as many blocks each time, as the digits of their number say.
        var blocks = (count + length - 1) / length
        while blocks > 0 {
            if blocks & 1 != 0 { text.append(doubled) }
            blocks >>= 1
            if blocks > 0 { doubled.append(doubled) }
        }
        return text
    }

    /// Whether the build is one whose figures mean something.
    package static var isOptimized: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }

    /// Milliseconds that this thread has run: what other programs and threads do meanwhile is no part of it.
    package static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
    }
}
