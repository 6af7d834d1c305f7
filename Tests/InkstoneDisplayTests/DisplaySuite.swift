import Glibc
import Testing

/// The one parent of all tests that need a display: they run one after the other, in a process of their own, because locale and
/// X error handlers belong to the whole process and because what they measure is time.
@Suite(.serialized, .timeLimit(.minutes(getenv("INKSTONE_LONG_TESTS") == nil ? 5 : 60)))
struct DisplayTests {}
