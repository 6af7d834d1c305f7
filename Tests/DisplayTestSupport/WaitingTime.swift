import Glibc
import InkstoneTesting

/// Wall-clock time without an answer, less the time that the machine gave to programs outside of the test.
///
/// The tested programs' computing time counts in full: a main thread that spins answers as little as one that
/// waits. Subtracted are the time that a host gave to other virtual machines, and the time in which tested threads
/// were ready to run while other programs had the processors. This allows tests of responsiveness on a busy
/// machine.
/// Source: the kernel's `sched-stats.txt` and `proc(5)`.
package struct WaitingTime {
    /// The machine's counters at a moment, in milliseconds.
    struct Reading {
        /// Monotonic time.
        var clock = 0.0
        /// The total time that the threads have run.
        var computed = 0.0
        /// The total time that the threads were ready to run without a processor.
        var ready = 0.0
        /// The time that the host gave to other machines, of all processors.
        var stolen = 0.0
        /// The time that processors have run programs outside of the test.
        var foreign = 0.0

        /// The kernel counts the time of all programs in ticks, and what it has of a tick at either end may be missing.
        private static let tick = 20.0

        /// Returns the part of the time since an earlier reading that counts.
        func counted(since start: Reading) -> Double {
            // The tested programs may keep each other from a processor: that is their own affair.
            let foreign = max(0, foreign - start.foreign) + Self.tick
            let taken = (stolen - start.stolen) + min(ready - start.ready, foreign)
            // What the threads have computed was not taken, whatever the counters of all processors say.
            let computed = min(computed - start.computed, clock - start.clock)
            return max(0, computed, clock - start.clock - max(0, taken))
        }
    }

    private let start: Reading
    private let threads: [pid_t]

    /// Starts to measure.
    ///
    /// - Parameter threads: ids of the threads that answer one after the other, as client and server do for one request; that of a
    ///   process is its main thread's. Their processes are the tested ones, with the test's own. None may be woken by anything but
    ///   the answer of another meanwhile: the times that they stand ready are added up.
    package init(of threads: [pid_t]) {
        self.threads = threads
        // The clock last here and first at the end: what happens in between makes the result smaller, never larger.
        var start = Self.counters(of: threads)
        start.clock = Deadline.now
        self.start = start
    }

    /// Milliseconds that count since the start.
    package var milliseconds: Double {
        let now = Deadline.now
        var end = Self.counters(of: threads)
        end.clock = now
        return end.counted(since: start)
    }

    /// Milliseconds that the threads have computed since the start, together: of the clock's time what is certainly theirs, however
    /// much else the machine has to do.
    package var computed: Double { Self.counters(of: threads).computed - start.computed }

    /// The calling thread's id.
    package static var thisThread: pid_t {
        // `gettid` is hidden behind _GNU_SOURCE.
        var buffer = [CChar](repeating: 0, count: 64)
        let count = readlink("/proc/thread-self", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.split(separator: "/").last.flatMap { pid_t($0) } ?? getpid()
    }

    private static func counters(of threads: [pid_t]) -> Reading {
        let line = (try? TextFiles.read("/proc/stat"))?.prefix { $0 != "\n" } ?? ""
        let fields = line.split(separator: " ").dropFirst().map { Double($0) ?? 0 }
        let tick = 1000 / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
        var reading = Reading()
        // user, nice, system, idle, iowait, irq, softirq, steal
        if fields.count >= 8 {
            reading.stolen = fields[7] * tick
            reading.foreign = (fields[0] + fields[1] + fields[2] + fields[5] + fields[6]) * tick
        }
        for thread in threads {
            let times = schedule(of: thread)
            reading.computed += times.run
            reading.ready += times.ready
        }
        let processes = Set(threads.map { process(of: $0) } + [getpid()])
        reading.foreign -= processes.reduce(0) { $0 + processorTime(of: $1) }
        return reading
    }

    /// Milliseconds that a thread has run and stood ready to run; 0 where the kernel does not say.
    private static func schedule(of thread: pid_t) -> (run: Double, ready: Double) {
        let fields = (try? TextFiles.read("/proc/\(thread)/schedstat"))?.split(separator: " ") ?? []
        guard fields.count >= 2, let run = Double(fields[0]), let ready = Double(fields[1]) else { return (0, 0) }
        return (run / 1_000_000, ready / 1_000_000)
    }

    /// The process that a thread is of: the test's own, or the one whose main thread it is.
    private static func process(of thread: pid_t) -> pid_t {
        access("/proc/self/task/\(thread)", F_OK) == 0 ? getpid() : thread
    }

    /// Milliseconds that all threads of a process have run; 0 if it has ended.
    package static func processorTime(of process: pid_t) -> Double {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
    }
}
