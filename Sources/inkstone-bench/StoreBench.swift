import ArgumentParser
import Glibc
import InkstoneBase
import InkstoneEditing
import InkstoneFiles
import InkstoneInput
import InkstoneLayout
import InkstoneText
import InkstoneView

/// A benchmark of the rope, the store, files and search. Foundation's text is measured in the same run.
struct StoreBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Rope, store, files, search; beside AttributedString.")

    @Option(help: "The size of the text in megabytes; by default 10, 100 and 1000, to see how it grows.") var size: Int?
    @Flag(help: "Leave Foundation's text out.") var alone = false

    func run() throws {
        print("load \(Self.load)")
        if let size {
            StoreFigures(megabytes: size).measure()
        } else {
            // Measure each size in a process of its own: none may reuse memory that another size has released.
            var figures: [[String: Double]] = []
            for size in StoreGrowth.sizes {
                figures.append(try Self.spawn(["store", "--alone", "--size", "\(size)"], size))
            }
            StoreGrowth(figures: figures).show()
        }
        if !alone { Peers.measure() }
    }

    /// The load averages of the machine over one, five and fifteen minutes: the numbers of threads that run, wait for a
    /// processor or, on Linux, wait for a disk.
    private static var load: String {
        var averages = [0.0, 0.0, 0.0]
        getloadavg(&averages, 3)
        return averages.map { "\(($0 * 10).rounded() / 10)" }.joined(separator: " ")
    }

    /// Runs this program again, forwards its output, and returns its figures for a size, by name.
    private static func spawn(_ arguments: [String], _ size: Int) throws -> [String: Double] {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw ExitCode.failure }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addclose(&actions, ends[0])
        defer { posix_spawn_file_actions_destroy(&actions) }
        var argv = ([CommandLine.arguments[0]] + arguments).map { strdup($0) } + [nil]
        defer { argv.forEach { free($0) } }
        var pid = pid_t()
        var status: Int32 = 0
        guard posix_spawn(&pid, "/proc/self/exe", &actions, nil, &argv, environ) == 0 else { throw ExitCode.failure }
        close(ends[1])
        guard let output = fdopen(ends[0], "r") else { throw ExitCode.failure }
        defer { fclose(output) }
        var figures: [String: Double] = [:]
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, output) != nil {
            let text = line.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } ?? ""
            print(text, terminator: "")
            fflush(nil)
            let parts = text.split(separator: " ")
            let prefix = "store.\(size)MB."
            guard parts.count > 1, parts[0].hasPrefix(prefix), let value = Double(parts[1]) else { continue }
            figures[String(parts[0].dropFirst(prefix.count))] = value
        }
        guard waitpid(pid, &status, 0) == pid, status == 0 else { throw ExitCode.failure }
        return figures
    }
}

/// The figures for a text of one size.
struct StoreFigures {
    var megabytes: Int

    /// A mixed text: English, code, German, Greek, Japanese and emoji.
    static let paragraph = Array(
        ("The quick brown fox jumps over the lazy dog. if (x < 10) { return y[3] + \"text\"; }\n"
            + "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich.\n"
            + "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία.\nいろはにほへと ちりぬるを 我が世誰ぞ常ならむ。\n👩‍👩‍👧‍👦 ok 👍🏽\n"
            + "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore.\n")
            .utf8)

    private static func file(megabytes: Int) -> String {
        let path = "/tmp/inkstone-bench-\(getpid()).txt"
        guard let file = fopen(path, "w") else { preconditionFailure("cannot write \(path)") }
        var written = 0
        var block: [UInt8] = []
        while block.count < 1_000_000 { block += paragraph }
        while written < megabytes * 1_000_000 {
            let n = min(block.count, megabytes * 1_000_000 - written)
            fwrite(block, 1, n, file)
            written += n
        }
        fclose(file)
        return path
    }

    private func show(_ name: String, _ value: Double, _ unit: String) {
        Figure.show("store.\(megabytes)MB.\(name)", value, unit)
    }

    private func each(_ name: String, _ count: Int, rounds: Int = 3, _ body: (Int) -> Void) {
        show(name, Stopwatch.each(count, rounds: rounds, body), "ns")
    }

    func measure() {
        let path = Self.file(megabytes: megabytes)
        defer { unlink(path) }
        let memory = Stopwatch.privateMemory()
        let processor = Stopwatch.processorTime()
        var (read, readTime) = Stopwatch.time { try? TextFile.read(FilePath(path)) }
        let processorTime = Stopwatch.processorTime() - processor
        guard var rope = read?.text else { fatalError("cannot read \(path)") }
        show("read-and-index", Double(readTime) / 1e6, "ms")
        show("read-and-index-processor", Double(processorTime) / 1e6, "ms")
        let bytes = Double(rope.metrics.bytes)
        show("memory-per-text", Double(Stopwatch.privateMemory() - memory) / bytes, "x")
        show("levels", Double(rope.height + 1), "levels")
        // Drop the other reference to the text, because of which every edit would copy.
        read = nil
        conversions(rope)
        search(rope)
        edits(&rope)
        show(
            "memory-per-text-after-edits", Double(Stopwatch.privateMemory() - memory) / Double(rope.metrics.bytes), "x")

        // Read the file again, because the edits above have split scalars, which a store never does.
        rope = Rope()
        let store = TextStore((try? TextFile.read(FilePath(path)))?.text ?? Rope())
        var random = Lottery()
        let n = store.text.metrics.bytes
        each("store-random-insert-with-undo", 25_000, rounds: 1) { _ in
            let at = ByteOffset(random.below(n))
            store.replace(at..<at, with: "x", origin: .typing)
        }
        let words = try? TextSearch("ipsum")
        var found = 0
        let replaced = Stopwatch.processorTime()
        if let words { found = (try? store.replaceAll(words, with: "IPSUM")) ?? 0 }
        show("replace-all-per-match", Double(Stopwatch.processorTime() - replaced) / Double(max(1, found)), "ns")
        batches(store)
        pasteIntoField()
        let saved = Stopwatch.time {
            _ = try? TextFile.write(store.text, to: FilePath(path), expecting: nil, overwriting: true)
        }
        show("save-with-fsync", Double(saved.nanoseconds) / 1e6, "ms")
    }

    /// Measures 100,000 replacements at positions all over the text as one transaction, and undo of that: by the
    /// store alone, and with a view.
    private func batches(_ store: TextStore) {
        let count = 100_000
        let length = store.text.metrics.bytes
        guard length > 4 * count else { return }
        var random = Lottery()
        let places = (0..<count).map { $0 * (length / count) + random.below(length / count - 8) }
        func measure(_ name: String) {
            let start = Stopwatch.processorTime()
            do {
                var builder = TextChangeSet.Builder(over: store.text)
                builder.reserve(count)
                for place in places { builder.replace(ByteOffset(place)..<ByteOffset(place + 4), with: "word") }
                store.apply(Transaction(on: store, builder.finish()))
            }
            let made = Stopwatch.processorTime()
            show("\(name)-100k-replacements", Double(made - start) / 1e6, "ms")
            store.undo()
            show("\(name)-100k-replacements-undo", Double(Stopwatch.processorTime() - made) / 1e6, "ms")
        }
        measure("store")
        let view = EditorView(store: store, font: FontDescriptor(family: "DejaVu Sans Mono", size: 14))
        view.setFrame(WindowRect(x: 0, y: 0, width: 800, height: 600))
        _ = view.caretRect(for: view.beginningOfDocument) as ViewRect
        measure("view")
        withExtendedLifetime(view) {}
    }

    /// Measures pasting 1 MB into a field that accepts at most 1,000 characters.
    private func pasteIntoField() {
        let pasted = String(decoding: Sample.log(bytes: 1 << 20), as: UTF8.self)
        let view = EditorView(store: TextStore(), font: FontDescriptor(family: "DejaVu Sans Mono", size: 14))
        view.setFrame(WindowRect(x: 0, y: 0, width: 800, height: 600))
        view.options.maximumLength = 1000
        let start = Stopwatch.processorTime()
        view.session.paste(pasted)
        show("paste-1MB-into-1000", Double(Stopwatch.processorTime() - start) / 1e6, "ms")
        precondition(view.store.text.metrics.utf16 == 1000, "as much as there is room for")
    }

    private func conversions(_ rope: Rope) {
        let n = rope.metrics
        var random = Lottery()
        let count = 100_000
        each("byte-to-utf16", count) { _ in blackHole(rope.utf16Offset(at: ByteOffset(random.below(n.bytes)))) }
        each("utf16-to-byte", count) { _ in blackHole(rope.byteOffset(at: UTF16Offset(random.below(n.utf16)))) }
        each("scalar-to-utf16", count) { _ in blackHole(rope.utf16Offset(at: ScalarOffset(random.below(n.scalars)))) }
        each("paragraph-to-byte", count) { _ in
            blackHole(rope.metrics(before: ParagraphIndex(random.below(n.newlines))).bytes)
        }
        each("byte-to-paragraph", count) { _ in blackHole(rope.paragraphIndex(at: ByteOffset(random.below(n.bytes)))) }
        each("next-grapheme", 10_000) { _ in
            blackHole(rope.graphemeBoundary(after: UTF16Offset(random.below(n.utf16))))
        }
    }

    private func search(_ rope: Rope) {
        func speed(_ name: String, _ search: TextSearch?) {
            guard let search else { return }
            let time = Stopwatch.each(1, rounds: 2) { _ in blackHole(try? search.firstMatch(in: rope)) }
            show(name, Double(rope.metrics.bytes) / time, "GB/s")
        }
        speed("search-literal", try? TextSearch("not in the text"))
        speed("search-literal-japanese", try? TextSearch("日本語"))
        speed("search-ignoring-case", try? TextSearch("NOT in the text", ignoringCase: true))
        speed("search-expression", try? TextSearch("not +in (the|a) text", syntax: .regularExpression))
    }

    private func edits(_ rope: inout Rope) {
        let n = rope.metrics.bytes
        var random = Lottery()
        each("snapshot-and-first-edit", 1000) { _ in
            let snapshot = rope
            let at = ByteOffset(random.below(n))
            rope.replace(at..<at, with: "x")
            blackHole(snapshot.metrics)
        }
        each("random-insert", 100_000) { _ in
            let at = ByteOffset(random.below(n))
            rope.replace(at..<at, with: "x")
        }
        var at = rope.roundedDown(toScalar: ByteOffset(n / 2))
        let sequential = Stopwatch.each(1_000_000, rounds: 1) { _ in
            rope.replace(at..<at, with: "x")
            at += 1
        }
        show("million-sequential-inserts", sequential, "ms")
    }
}

/// A fast generator of random positions, which hardly affects the measured times.
struct Lottery {
    private var state: UInt64 = 1

    mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }
}
