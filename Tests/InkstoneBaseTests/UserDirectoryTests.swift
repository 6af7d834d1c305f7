import Glibc
import InkstoneBase
import Testing

/// One test, because the environment is the process's.
@Suite(.timeLimit(.minutes(5))) struct UserDirectoryTests {
    @Test func theVariableComesBeforeTheHomeAndOnlyAbsolutePathsCount() {
        let names = ["XDG_CACHE_HOME", "HOME"]
        let before = names.map { name in getenv(name).map { String(cString: $0) } }
        defer {
            for (name, value) in zip(names, before) {
                if let value { setenv(name, value, 1) } else { unsetenv(name) }
            }
        }
        setenv("HOME", "/home-of-a-test", 1)
        setenv("XDG_CACHE_HOME", "/elsewhere", 1)
        #expect(UserDirectory.cache.file("fonts") == "/elsewhere/inkstone/fonts")
        setenv("XDG_CACHE_HOME", "relative", 1)
        #expect(UserDirectory.cache.file("fonts") == "/home-of-a-test/.cache/inkstone/fonts")
        unsetenv("XDG_CACHE_HOME")
        unsetenv("HOME")
        #expect(UserDirectory.cache.path == nil)
    }

    @Test func theClockGoesForward() {
        let first = MonotonicClock.nanoseconds
        #expect(MonotonicClock.nanoseconds >= first && MonotonicClock.milliseconds >= first / 1_000_000)
    }
}
