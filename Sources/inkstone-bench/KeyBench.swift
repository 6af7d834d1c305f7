import ArgumentParser
import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneBase
import InkstoneTesting
import InkstoneText
import InkstoneView

/// A benchmark of a key's cost in the program itself, in texts of every size: the processor time from reading the
/// event to having sent the painting.
///
/// A text view of this process is shown in an Xvfb of its own, and keys are injected by XTEST. After a pause a key
/// costs more, because its memory has left the processor's caches. The time that such cache misses alone take on
/// this machine is printed beside the key's cost.
struct KeyBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Measure a key's processor time, from event to sending.")

    @Option(help: "How many keys are struck for each figure.") var keys = 300

    @Option(help: "Size of the largest text in megabytes.") var largest = 1000

    @Option(help: "How long nobody types between the keys of the second row, in milliseconds.") var pause = 12

    func run() throws {
        CharacterLocale.prepare()
        let server = try XServer(width: 1280, height: 1024)
        defer { server.end() }
        let line = "2026-03-01 12:10:10 worker-3 request 7919 took 12 ms payload payload payload\n"
        let spaced = String(line.dropLast()) + " "
        for (name, unit, bytes) in [
            ("1KB", line, 1000), ("100KB", line, 100_000), ("100MB", line, 100_000_000),
            ("\(largest)MB", line, largest * 1_000_000), ("oneline", spaced, 1_000_000),
        ] {
            try measure(name, Rope(repeating: unit, bytes: bytes), server)
        }
        for rest in [0, pause] {
            Figure.show("key.memory.after-\(rest)ms", CacheLines.time(count: 3000, pause: rest) / 1000, "µs")
        }
    }

    private func measure(_ name: String, _ text: Rope, _ server: XServer) throws {
        let scene = try KeyScene(StyledText(text), server)
        defer { scene.end() }
        try scene.start()
        for rest in [0, pause] {
            let times = try scene.times(keys, pause: rest)
            for (label, share) in [("median", 0.5), ("p99", 0.99)] {
                Figure.show("key.\(name).after-\(rest)ms.\(label)", times[Int(Double(keys - 1) * share)] / 1000, "µs")
            }
        }
    }
}

/// A text view of this process in a window, for injected keys. The caret is in the middle of its text.
struct KeyScene {
    let view: TextView
    let display: Display
    private let probe: WindowProbe
    let window: WidgetWindow
    private let store: TextStore

    private static let letters: [UInt8] = [38, 56, 54, 40, 26, 65]

    init(_ text: StyledText, _ server: XServer) throws {
        guard let probe = WindowProbe(display: server.display) else {
            throw TimedOut(what: "a display with XTEST and DAMAGE", milliseconds: 0)
        }
        self.probe = probe
        display = try Display(name: server.display)
        window = try WidgetWindow(display, size: Size(width: 1000, height: 700))
        store = TextStore(text)
        view = TextView(in: window, store: store)
        window.show()
    }

    func end() {
        window.close()
        display.close()
    }

    /// Moves the caret to the middle of the text, and gives the view the focus.
    func start() throws {
        let text = store.text
        let middle = UTF16Offset(text.metrics.utf16 / 2)
        let paragraph = text.utf16Range(of: text.paragraphIndex(at: middle))
        // Use the end of a line, where users usually type, unless the text is a single line.
        let place = paragraph.count < 1000 ? paragraph.upperBound - 1 : middle
        view.select(Selection(caret: place))
        // Paint before setting the focus: a window must be mapped before it can get the focus.
        try paint()
        while let change = probe.nextChange(within: 3000), change.height < 100 {}
        probe.focus(true)
        try pump(milliseconds: 500)
    }

    /// Returns this thread's processor time for each key, in nanoseconds and sorted: from when the event can be
    /// read until the painting is sent.
    func times(_ keys: Int, pause rest: Int) throws -> [Double] {
        var times: [Double] = []
        for i in -20..<keys {
            let version = store.version
            probe.strike(Self.letters[(i + 20) % 6])
            var time: Double?
            while time == nil {
                try wait(milliseconds: 3000)
                var sent = 0
                display.performAfterPainting { sent = Stopwatch.processorTime() }
                let start = Stopwatch.processorTime()
                display.processEvents()
                if store.version != version { time = Double(sent - start) }
            }
            if i >= 0, let time { times.append(time) }
            if rest > 0 { try pump(milliseconds: rest) }
        }
        return times.sorted()
    }

    /// Handles events until the view has been painted.
    func paint() throws {
        var isPainted = false
        display.performAfterPainting { isPainted = true }
        while !isPainted {
            display.processEvents()
            if !isPainted { try wait(milliseconds: 3000) }
        }
    }

    private func wait(milliseconds: CInt) throws {
        var polled = pollfd(fd: display.fileDescriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, milliseconds) > 0 else { throw TimedOut(what: "a key", milliseconds: Int(milliseconds)) }
    }

    /// Handles events for some milliseconds.
    func pump(milliseconds: Int) throws {
        let deadline = Deadline.now + Double(milliseconds)
        while case let left = deadline - Deadline.now, left > 0 {
            var polled = pollfd(fd: display.fileDescriptor, events: Int16(POLLIN), revents: 0)
            if poll(&polled, 1, CInt(left.rounded(.up))) > 0 { display.processEvents() }
        }
    }
}

/// Measures the time in which a processor reads memory that it has read before. It reads one cache line after the
/// other, as in dependent reads of code and data.
enum CacheLines {
    /// Returns the time in nanoseconds for reading `count` cache lines: the median of fifty runs, each after
    /// `pause` milliseconds of sleep.
    static func time(count: Int, pause: Int) -> Double {
        let words = 8
        let memory = UnsafeMutablePointer<Int>.allocate(capacity: count * words)
        defer { memory.deallocate() }
        // Make a cycle through all lines, in an order that no processor can prefetch.
        var order = Array(0..<count)
        order.shuffle()
        for i in 0..<count { memory[order[i] * words] = order[(i + 1) % count] * words }
        var times: [Int] = []
        for _ in 0..<50 {
            poll(nil, 0, CInt(pause))
            let start = Int(MonotonicClock.nanoseconds)
            var at = 0
            for _ in 0..<count { at = memory[at] }
            // Use the result before reading the clock, so that the compiler does not remove the loop.
            if at < 0 { print("a line before the first") }
            times.append(Int(MonotonicClock.nanoseconds) - start)
        }
        return Double(times.sorted()[25])
    }
}

extension Rope {
    /// Creates a rope that repeats `unit` up to about a size in bytes.
    init(repeating unit: String, bytes: Int) {
        var builder = RopeBuilder()
        let block = Array(String(repeating: unit, count: max(1, (1 << 18) / unit.utf8.count)).utf8)
        var left = max(1, bytes / unit.utf8.count) * unit.utf8.count
        while left > 0 {
            let count = min(left, block.count)
            block.withUnsafeBytes { builder.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            left -= count
        }
        self = builder.finish()
    }
}
