import Glibc
import InkstoneTesting

/// Time by the clock, less what the machine took of it: the time that some threads ran or stood ready to run, and what the host
/// gave to other machines.
///
/// What is left was spent waiting: for another program's answer, a lock, a timer. So "nobody is held up" can be tested on a
/// machine that has much else to do. Threads should work one after the other, as client and server do for one request;
/// those that run side by side make the result too small. Source: the kernel's `sched-stats.txt` and `proc(5)`.
package struct WaitingTime {
    private let start = Deadline.now
    private let taken: Double
    private let threads: [pid_t]

    /// Starts to measure.
    ///
    /// - Parameter threads: ids of threads; that of a process is its main thread's.
    package init(of threads: [pid_t]) {
        self.threads = threads
        taken = Self.taken(from: threads)
    }

    /// Milliseconds waited since the start.
    package var milliseconds: Double {
        // In this order, so that what happens in between makes the result smaller, never larger.
        let now = Deadline.now
        return max(0, now - start - (Self.taken(from: threads) - taken))
    }

    /// The calling thread's id.
    package static var thisThread: pid_t {
        // `gettid` is hidden behind _GNU_SOURCE.
        var buffer = [CChar](repeating: 0, count: 64)
        let count = readlink("/proc/thread-self", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.split(separator: "/").last.flatMap { pid_t($0) } ?? getpid()
    }

    private static func taken(from threads: [pid_t]) -> Double {
        threads.reduce(stolen) { $0 + processorTime(of: $1) }
    }

    /// Milliseconds that a thread has run or stood ready to run; 0 where the kernel does not say.
    private static func processorTime(of thread: pid_t) -> Double {
        let fields = (try? TextFiles.read("/proc/\(thread)/schedstat"))?.split(separator: " ") ?? []
        guard fields.count >= 2, let run = Double(fields[0]), let ready = Double(fields[1]) else { return 0 }
        return (run + ready) / 1_000_000
    }

    /// Milliseconds of all processors that the host gave to others.
    private static var stolen: Double {
        let line = (try? TextFiles.read("/proc/stat"))?.prefix { $0 != "\n" } ?? ""
        let fields = line.split(separator: " ")
        guard fields.count > 8, let ticks = Double(fields[8]) else { return 0 }
        return ticks * 1000 / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
    }
}
