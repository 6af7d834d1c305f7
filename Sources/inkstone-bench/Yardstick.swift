import InkstoneTesting

/// Measurements of a bare window, a program that shows the same changes with the least effort. Its times are a lower
/// bound for any program on this server and machine.
///
/// The bare window and the program that is compared with it are measured right after each other, because a
/// machine's speed varies by more than the differences to measure.
final class Yardstick {
    /// The kinds of work that are measured, in the bare window and in the program that is compared with it.
    enum Work: String, CaseIterable {
        case open, key
        case line = "scroll.line"
        case page = "scroll.page"

        var name: String { "window.\(rawValue).bare" }
    }

    private let scene: WindowScene
    private let pause: Double
    private var times: [Work: [Double]] = [:]
    private var processorTime = 0

    /// Creates a yardstick without measurements.
    ///
    /// - Parameter pause: the time without a change before the next key, in milliseconds.
    init(_ scene: WindowScene, pause: Double) {
        self.scene = scene
        self.pause = pause
    }

    /// Starts and ends the bare window. Returns the time until it showed its line, in milliseconds.
    func open() throws -> Double {
        let (bare, time) = try scene.startBare()
        bare.end()
        times[.open, default: []].append(time)
        return time
    }

    /// Starts another program `count` times, each time after the bare window. Returns the times of the other
    /// program and of the bare window, in milliseconds.
    func open(
        _ count: Int, _ start: () throws -> (process: ChildProcess, milliseconds: Double)
    ) throws -> (times: [Double], bare: [Double]) {
        var times: [Double] = []
        var bare: [Double] = []
        // Do not count the first rounds: they fill caches, including those that programs fill when they become
        // idle.
        for round in -2..<count {
            let least = try open()
            let (program, time) = try start()
            if round < 0 { scene.probe.waitUntilIdle(600) }
            program.end()
            guard round >= 0 else { continue }
            bare.append(least)
            times.append(time)
        }
        return (times, bare)
    }

    /// Measures `count` keys in the bare window. Returns their times, and the processor time of a key, all in
    /// milliseconds. Also adds the times to those of all rounds.
    func strike(_ work: Work, _ count: Int) throws -> (times: [Double], processor: Double) {
        let (bare, _) = try scene.startBare()
        defer { bare.end() }
        let probe = scene.probe
        probe.focus(true)
        probe.waitUntilIdle(300)
        let sought: (WindowProbe.Change) -> Bool
        let key: UInt8
        switch work {
        case .open, .key: (key, sought) = (WindowProbe.letterKey, { _ in true })
        case .line: (key, sought) = (WindowProbe.downKey, { $0.height >= 100 })
        // Wait for the last lines: the bare window draws line after line from the top, and is 940 pixels high.
        case .page: (key, sought) = (WindowProbe.pageDownKey, { $0.y + $0.height > 910 })
        }
        var taken: [Double] = []
        var before = 0
        for i in -20..<count {
            if i == 0 { before = bare.processorTime }
            let time = try probe.answer(to: key, pause: pause, sought)
            if i >= 0 { taken.append(time) }
        }
        let used = bare.processorTime - before
        times[work, default: []] += taken
        if work == .key { processorTime += used }
        return (taken, Double(used) / 1e6 / Double(count))
    }

    /// Prints the results of all rounds for each kind of work that was measured.
    func show() {
        for work in Work.allCases {
            guard let taken = times[work], !taken.isEmpty else { continue }
            Spread(taken).show(work.name)
            guard work == .key else { continue }
            Figure.show("\(work.name).processor", Double(processorTime) / 1e6 / Double(taken.count), "ms")
        }
    }

    /// Whether work of this kind has been measured.
    func has(_ work: Work) -> Bool { times[work] != nil }
}

extension WindowProbe {
    /// Presses a key. Returns the time in milliseconds until a change of the window that is wider than 4 pixels, and so
    /// no usual caret, and for which `isSought` returns true.
    func answer(
        to keycode: UInt8, pause: Double = 12, _ isSought: (Change) -> Bool = { _ in true }
    ) throws -> Double {
        let start = strike(keycode)
        while let change = nextChange(within: 3000) {
            guard change.width > 4, isSought(change) else { continue }
            waitUntilIdle(pause)
            return change.moment - start
        }
        throw TimedOut(what: "the window to change after key \(keycode)", milliseconds: 3000)
    }

    /// Types `count` letters, each after the one before it was shown. Returns the time of each, and the program's
    /// processor time per letter, in milliseconds.
    func typeLetters(
        _ count: Int, into program: ChildProcess, pause: Double
    ) throws -> (times: [Double], processor: Double) {
        let letters: [UInt8] = [38, 56, 54, 40, 26, 65]
        var times: [Double] = []
        var before = 0
        for i in -20..<count {
            if i == 0 { before = program.processorTime }
            // Accept only changes that are wider than the widest caret, which is Athena's.
            let time = try answer(to: letters[(i + 20) % 6], pause: pause) { $0.width > 12 }
            if i >= 0 { times.append(time) }
        }
        return (times, Double(program.processorTime - before) / 1e6 / Double(count))
    }
}

/// The percentiles of some times in milliseconds.
struct Spread {
    private let sorted: [Double]

    init(_ times: [Double]) { sorted = times.sorted() }

    var median: Double { at(0.5) }
    /// The 99th percentile.
    var high: Double { at(0.99) }

    private func at(_ share: Double) -> Double { sorted[Int(Double(sorted.count - 1) * share + 0.5)] }

    func show(_ name: String) {
        for (label, share) in [("median", 0.5), ("p99", 0.99)] { Figure.show("\(name).\(label)", at(share), "ms") }
    }

    /// Prints the percentiles, and the median as a multiple of the bare window's.
    func show(_ name: String, beside bare: Spread) {
        show(name)
        Figure.show("\(name).times-bare", median / bare.median, "x")
    }
}
