import Glibc
import InkstoneBase
import Synchronization

/// A cache of the first font for each style, as fontconfig returned it in an earlier run. The first window then need
/// not wait until fontconfig has read its configuration, which takes 5 ms on an idle processor.
///
/// The answers are stored in a file. They are used only while everything that they depend on is unchanged:
/// fontconfig's version, the environment variables that it reads, its configuration files, and the directories of
/// fonts. Only the first font of a style is stored. For other fonts, callers wait for fontconfig. Any thread.
package final class FontMemory: Sendable {
    /// The interface to fontconfig: its version, its files, and its answers.
    package struct System: Sendable {
        /// fontconfig's version.
        package var version: @Sendable () -> Int
        /// The files and directories that fontconfig has read. Waits until it has read them. Nil if fontconfig
        /// cannot start.
        package var sources: @Sendable () -> [FilePath]?
        /// The pattern of the first font that fontconfig finds for a question. The question is a pattern too. Nil
        /// if there is no font.
        package var answer: @Sendable (String) -> String?

        package init(
            version: @escaping @Sendable () -> Int, sources: @escaping @Sendable () -> [FilePath]?,
            answer: @escaping @Sendable (String) -> String?
        ) {
            (self.version, self.sources, self.answer) = (version, sources, answer)
        }
    }

    /// The path of the file, and the answers that are known, from the file or from fontconfig.
    private struct State {
        var path: FilePath?
        // Questions and patterns are arrays with corresponding indices. A dictionary would not be faster: its type
        // takes as long to instantiate as comparing the few questions.
        var questions: [String] = []
        var patterns: [String] = []
        /// Whether some answer is not in the file yet.
        var isNews = false
    }
    private let state = Mutex(State())
    /// Files on which the answers depend, in addition to fontconfig's.
    private let watched: [FilePath]
    private static let title = "Inkstone font memory 1"

    private let system: System

    package init(_ system: System, watching watched: [FilePath] = []) {
        self.system = system
        self.watched = watched
    }

    /// Reads fontconfig's answers from the file at `path`, and uses them if they are still valid. Returns whether they
    /// are.
    package func recall(from path: FilePath) -> Bool {
        let found = read(path)
        state.withLock { state in
            state = State()
            state.path = path
            guard let found else { return }
            state.questions = found.questions
            state.patterns = found.patterns
        }
        return found != nil
    }

    /// Returns the pattern of the first font for a question; nil if no answer to it is stored.
    package func answer(to question: String) -> String? {
        state.withLock { state in
            state.questions.firstIndex(of: question).map { state.patterns[$0] }
        }
    }

    /// Stores fontconfig's answer to a question, in place of an earlier one. Does nothing before ``recall(from:)``,
    /// and for an answer with a newline, which the file could not hold.
    package func note(_ pattern: String, for question: String) {
        guard !pattern.utf8.contains(0x0a) else { return }
        state.withLock { state in
            guard state.path != nil else { return }
            if let index = state.questions.firstIndex(of: question) {
                guard state.patterns[index] != pattern else { return }
                state.patterns[index] = pattern
            } else {
                state.questions.append(question)
                state.patterns.append(pattern)
            }
            state.isNews = true
        }
    }

    /// Asks fontconfig all stored questions again. Writes the file if an answer has changed, or is not in the file
    /// yet. Blocks for some milliseconds.
    package func confirm() {
        guard let sources = system.sources() else { return }
        for question in state.withLock({ $0.questions }) {
            if let pattern = system.answer(question) { note(pattern, for: question) }
        }
        let (path, questions, patterns) = state.withLock { state in
            defer { state.isNews = false }
            return (state.isNews ? state.path : nil, state.questions, state.patterns)
        }
        if let path { write(questions, patterns, sources + watched, to: path) }
    }

    // MARK: Reading and writing the file

    // The lines of the file: a title, the stamp (a hash of everything on which the answers depend), the sources, each
    // after “=”, and the questions, each after “?” and followed in the next line by its answer after “!”.

    private func read(_ path: FilePath) -> (questions: [String], patterns: [String])? {
        guard var bytes = Self.contents(of: path) else { return nil }
        var stamp = Stamp(version: system.version())
        var wanted: UInt64?
        var isTitled = false
        var questions: [String] = []
        var patterns: [String] = []
        bytes.withUnsafeMutableBytes { bytes in
            var start = 0
            while start < bytes.count, let end = bytes[start...].firstIndex(of: 0x0a) {
                defer { start = end + 1 }
                bytes[end] = 0
                guard start < end else { continue }
                func text(_ from: Int) -> String { String(decoding: bytes[from..<end], as: UTF8.self) }
                if !isTitled {
                    guard text(start) == Self.title else { return }
                    isTitled = true
                } else if wanted == nil {
                    wanted = UInt64(text(start), radix: 16)
                    guard wanted != nil else { return }
                } else if bytes[start] == UInt8(ascii: "=") {
                    bytes.withMemoryRebound(to: CChar.self) { stamp.add(file: $0.baseAddress! + start + 1) }
                } else if bytes[start] == UInt8(ascii: "?") {
                    questions.append(text(start + 1))
                } else if bytes[start] == UInt8(ascii: "!") {
                    patterns.append(text(start + 1))
                }
            }
        }
        guard let wanted, wanted == stamp.value, questions.count == patterns.count else { return nil }
        return (questions, patterns)
    }

    private static func contents(of path: FilePath) -> [UInt8]? {
        let descriptor = open(path.cString, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_size < 1 << 20
        else { return nil }
        let size = Int(status.st_size)
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(0, Glibc.read(descriptor, buffer.baseAddress, size))
        }
    }

    /// Replaces the whole file. Failures, such as a full disk or a missing home directory, are ignored, because the
    /// file is only a cache.
    private func write(_ questions: [String], _ patterns: [String], _ read: [FilePath], to path: FilePath) {
        var sources = read
        // Add the files that fontconfig would read if they existed: the answers become invalid if one of them is
        // created.
        if let configuration = UserDirectory.configuration.path {
            sources += [configuration.appending("fontconfig"), configuration.appending("fontconfig/conf.d")]
        }
        let home = UserDirectory.home
        if let home { sources += [home.appending(".fonts.conf"), home.appending(".fonts.conf.d")] }
        // Add the directories of the configuration files, because a new file in a directory changes only the directory.
        for source in sources where source.hasSuffix(".conf") {
            let directory = source.directory
            if directory != home, directory != ".", directory != "/", !sources.contains(directory) {
                sources.append(directory)
            }
        }
        // Leave out names with a line feed, because the file has one name per line.
        sources.removeAll { $0.bytes.contains(0x0a) }
        var stamp = Stamp(version: system.version())
        for source in sources { stamp.add(file: source.cString) }
        var text = Array("\(Self.title)\n\(String(stamp.value, radix: 16))\n".utf8)
        for source in sources { text += Array("=".utf8) + source.bytes + [0x0a] }
        for (question, pattern) in zip(questions, patterns) { text += "?\(question)\n!\(pattern)\n".utf8 }

        Self.makeDirectory(of: path)
        let temporary = path.appending(suffix: ".\(getpid())").cString
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        let isWritten = text.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) == $0.count }
        if close(descriptor) != 0 || !isWritten || rename(temporary, path.cString) != 0 { unlink(temporary) }
    }

    private static func makeDirectory(of path: FilePath) {
        let directory = path.directory
        guard directory != "/", directory != "." else { return }
        guard mkdir(directory.cString, 0o700) != 0, errno == ENOENT else { return }
        makeDirectory(of: directory)
        mkdir(directory.cString, 0o700)
    }
}

/// A hash of everything on which fontconfig's answers depend (FNV-1a, 64 bits).
private struct Stamp {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Creates the hash of fontconfig's version and the environment variables that it reads.
    init(version: Int) {
        add(UInt64(version))
        for name in [
            "FONTCONFIG_FILE", "FONTCONFIG_PATH", "FONTCONFIG_SYSROOT", "FC_LANG", "LC_ALL", "LC_CTYPE", "LANG", "HOME",
            "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CURRENT_DESKTOP",
        ] {
            if let text = getenv(name) { add(text) }
            add(0)
        }
    }

    /// Adds the attributes by which a change of a file or directory is noticed. A missing file is added as missing.
    mutating func add(file path: UnsafePointer<CChar>) {
        add(path)
        var status = stat()
        guard stat(path, &status) == 0 else { return add(1) }
        add(UInt64(truncatingIfNeeded: status.st_dev))
        add(UInt64(status.st_ino))
        add(UInt64(truncatingIfNeeded: status.st_size))
        add(UInt64(truncatingIfNeeded: status.st_mtim.tv_sec))
        add(UInt64(truncatingIfNeeded: status.st_mtim.tv_nsec))
    }

    private mutating func add(_ text: UnsafePointer<CChar>) {
        var at = text
        while at.pointee != 0 {
            add(byte: UInt8(bitPattern: at.pointee))
            at += 1
        }
    }

    private mutating func add(_ number: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) { add(byte: UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
    }

    private mutating func add(byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
}
