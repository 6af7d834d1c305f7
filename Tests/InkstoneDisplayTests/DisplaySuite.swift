import Glibc
import Testing

/// The parent of all tests that need a display. They run serially and in a process of their own, because the locale
/// and X error handlers belong to the whole process, and because some tests measure time.
@Suite(.serialized, .timeLimit(.minutes(getenv("INKSTONE_LONG_TESTS") == nil ? 5 : 60)))
struct DisplayTests {}
