import Glibc
import InkstoneBase

/// Functions that measure the time of short and long pieces of work, in nanoseconds.
enum Stopwatch {
    /// Returns the result of a piece of work, and its elapsed time in nanoseconds.
    static func time<Result>(_ body: () throws -> Result) rethrows -> (result: Result, nanoseconds: Int) {
        let start = MonotonicClock.nanoseconds
        let result = try body()
        return (result, Int(MonotonicClock.nanoseconds - start))
    }

    /// Returns the processor time of this thread in nanoseconds, without that of other threads and processes.
    static func processorTime() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// Returns the processor time of a call in nanoseconds: the average of `count` calls, in the fastest of some
    /// rounds.
    static func each(_ count: Int, rounds: Int = 3, _ body: (Int) -> Void) -> Double {
        var best = Int.max
        for _ in 0..<rounds {
            let start = processorTime()
            for i in 0..<count { body(i) }
            best = min(best, processorTime() - start)
        }
        return Double(best) / Double(count)
    }

    /// Formats a time in nanoseconds with a suitable unit.
    static func text(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<1000: format(nanoseconds, "ns")
        case ..<1e6: format(nanoseconds / 1e3, "µs")
        case ..<1e9: format(nanoseconds / 1e6, "ms")
        default: format(nanoseconds / 1e9, "s")
        }
    }

    /// Formats a number with about three digits and a unit.
    static func format(_ value: Double, _ unit: String) -> String {
        let digits = value < 10 ? 2 : value < 100 ? 1 : 0
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let rounded = (value * scale).rounded() / scale
        return digits == 0 ? "\(Int(rounded)) \(unit)" : "\(rounded) \(unit)"
    }

    /// Returns the private memory of this process in bytes; 0 if the kernel does not report it.
    static func privateMemory() -> Int {
        guard let file = fopen("/proc/self/smaps_rollup", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        var total = 0
        while fgets(&line, 256, file) != nil {
            let text = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
            guard text.hasPrefix("Private_") else { continue }
            total += (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
        }
        return total
    }
}

extension String {
    /// Returns the text padded to the width of a column.
    func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

/// Prints measured values, and the progress of a measurement.
enum Figure {
    /// Prints a line with name, value and unit, which `scripts/bench compare` reads.
    static func show(_ name: String, _ value: Double, _ unit: String) {
        let scale = value < 10 ? 1000.0 : value < 1000 ? 10 : 1
        print(name.padded(44) + " \((value * scale).rounded() / scale) \(unit)")
        fflush(nil)
    }

    /// Prints the progress of a long measurement to standard error.
    static func report(_ progress: String) {
        let line = Array("\(progress)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}

/// Prevents the compiler from removing the computation of a value.
@inline(never)
func blackHole<T>(_ value: T) {}
