import Glibc
import InkstoneBus

/// A program that asks to type, as the bus and the kernel name it. Not proof against a hostile program of the same user.
public struct ProxyProgram: Hashable, Sendable {
    /// The path of its executable, on one line.
    public let path: String
    /// The path by which a permission of it is taken away: of the executable, on one line, even where it is not there any more.
    package let file: String
    /// The number of its process.
    public let process: Int32
    /// The name that it gives itself, on one line.
    public let name: String
    let device: UInt64
    let inode: UInt64
    /// Whether a permission may outlast its process: for an executable that is in its place, that nobody else can write, that runs no programs
    /// of others, and whose path has nothing unseen.
    public let isLasting: Bool

    package init(
        path: String, file: String? = nil, process: Int32, name: String, device: UInt64, inode: UInt64, isLasting: Bool
    ) {
        (self.path, self.file, self.process, self.name) = (path, file ?? path, process, name)
        (self.device, self.inode, self.isLasting) = (device, inode, isLasting)
    }

    /// The program of a connection, by what the kernel says of its executable: no disk is asked.
    init(_ executable: BusPeer.Executable, process: Int32, name: String) {
        let path = Self.onOneLine(executable.path)
        self.init(
            // A program in a sandbox may call its file what it likes.
            path: executable.isInPlace ? path : "\(path) (replaced, or in a sandbox)", file: path, process: process,
            name: name,
            device: executable.device, inode: executable.inode,
            isLasting: executable.isInPlace
                && Self.isLasting(executable.path, owner: executable.owner, mode: executable.mode))
    }

    /// The program of a connection; nil for one of another user, and where bus or kernel do not say whose it is.
    init?(_ peer: BusPeer, name: String) {
        guard peer.userID == getuid(), let process = peer.processID, let executable = peer.executable else {
            return nil
        }
        self.init(executable, process: process, name: name)
    }

    /// The program at a path of this machine; nil if there is no file. Blocks.
    public init?(at path: String) {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        let path = String(cString: resolved)
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(
            path: path, file: Self.onOneLine(path), process: 0, name: "", device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            isLasting: Self.isLasting(path, owner: status.st_uid, mode: status.st_mode))
    }

    /// A path as it stands in the list.
    package static func onOneLine(_ path: String) -> String { String(path.map { $0.isNewline ? " " : $0 }) }

    private static func isLasting(_ path: String, owner: UInt32, mode: UInt32) -> Bool {
        mode & 0o022 == 0 && [0, getuid()].contains(owner) && !runsOthers(path)
            && !path.unicodeScalars.contains { $0 == "\u{FFFD}" || isUnseen($0) }
    }

    /// The path as people are to see it: what would reorder it or not be seen stands as its number.
    public var visiblePath: String {
        var visible = String.UnicodeScalarView()
        for scalar in path.unicodeScalars {
            if Self.isUnseen(scalar) {
                visible.append(contentsOf: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars)
            } else {
                visible.append(scalar)
            }
        }
        return String(visible)
    }

    /// Whether a scalar is a control, a format control as those of the writing direction, or another that shows nothing.
    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// Whether the executable is known to run programs of others: interpreters, and what stands on the bus for programs in a sandbox.
    private static func runsOthers(_ path: String) -> Bool {
        let name = path.split(separator: "/").last.map { String($0) } ?? ""
        // The loader, which runs any program: ld-linux-x86-64.so.2, ld-musl-x86_64.so.1, ld-2.31.so.
        if name.hasPrefix("ld"), name.split(separator: ".").contains("so") { return true }
        if name.hasPrefix("qemu-") { return true }
        return interpreters.contains { interpreter in
            guard name.hasPrefix(interpreter) else { return false }
            // python3.13t, python3-dbg, perl5.36-x86_64-linux-gnu, lua-5.4, but not pythonic.
            let rest = name.dropFirst(interpreter.count).drop { $0 == "." || $0 == "-" || $0 == "_" }
            return rest.first?.isNumber ?? true || variants.contains(String(rest))
        }
    }

    /// Endings of an interpreter's name other than a number.
    private static let variants: Set = [
        "dbg", "debug", "static", "cli", "gui", "console", "preloader", "gtk", "gtk2", "gtk3", "x", "x11", "nox",
        "lucid", "pgtk", "basic", "tiny", "nox11", "athena", "motif", "bin",
    ]

    private static let interpreters = [
        "python", "pypy", "perl", "ruby", "jruby", "lua", "luajit", "php", "tclsh", "wish", "expect", "guile", "R",
        "Rscript", "julia", "octave", "erl", "beam.smp", "java", "mono", "mono-sgen", "dotnet", "dart", "qjs",
        "sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "lksh", "oksh", "yash", "posh", "tcsh", "csh",
        "bsd-csh", "fish", "elvish", "nu", "pwsh", "busybox", "toybox", "env", "awk", "gawk", "mawk", "nawk",
        "original-awk", "node", "nodejs", "deno", "bun", "js", "d8", "jsc", "gjs", "cjs", "qml", "qmlscene", "electron",
        "nw", "sbcl", "clisp", "ecl", "racket", "scheme", "chez", "csi", "ghc", "ocaml", "ocamlrun", "swipl", "gforth",
        "emacs", "vim", "vi", "gvim", "nvim", "wine", "wine64", "box64", "box86", "FEXInterpreter", "FEXLoader",
        "valgrind", "memcheck-amd64-linux", "gdb", "lldb", "strace", "ltrace", "socat", "dbus-send", "gdbus", "busctl",
        "qdbus", "qdbusviewer", "bwrap", "proot", "firejail", "snap", "snap-exec", "snap-confine", "flatpak",
        "xdg-dbus-proxy",
    ]
}

/// The programs that the user has allowed to type, and those refused for good, by path, device and inode: a list of lines, of which those that
/// mean nothing here stay as they are.
public struct ProxyPermissions: Hashable, Sendable {
    /// A program on the list.
    public struct Entry: Hashable, Sendable {
        /// Whether the program may type.
        public var isAllowed: Bool
        /// The path of its executable.
        public var path: String
        var device: UInt64
        var inode: UInt64

        /// The program that is at the path now has another file: it is asked about again.
        public var isReplaced: Bool {
            let now = ProxyProgram(at: path)
            return now?.device != device || now?.inode != inode
        }
    }

    /// The programs, in the order in which they were decided about.
    public private(set) var entries: [Entry] = []
    /// The paths whose programs have lost also what they were allowed for once, the last one at the end, each with a number that is never the
    /// same for two of them.
    private(set) var revocations: [Revocation] = []
    /// The lines that mean nothing here.
    private var others: [String] = []

    /// A permission that was taken away.
    struct Revocation: Hashable {
        var path: String
        var number: UInt64
    }

    /// Permissions for no program.
    public init() {}

    /// Reads a list: lines of `allow` or `refuse`, device, inode and path, and of `revoke`, a number and path.
    public init(text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split(separator: " ", maxSplits: 2)
            if words.count == 3, words[0] == "revoke", let number = UInt64(words[1]), words[2].first == "/" {
                add(Revocation(path: String(words[2]), number: number))
                continue
            }
            let parts = line.split(separator: " ", maxSplits: 3)
            guard parts.count == 4, let isAllowed = ["allow": true, "refuse": false][parts[0]],
                let device = UInt64(parts[1]), let inode = UInt64(parts[2]), parts[3].first == "/"
            else {
                others.append(String(line))
                continue
            }
            set(Entry(isAllowed: isAllowed, path: String(parts[3]), device: device, inode: inode))
        }
    }

    /// The list as ``init(text:)`` reads it.
    public var text: String {
        let lines = entries.map { "\($0.isAllowed ? "allow" : "refuse") \($0.device) \($0.inode) \($0.path)" }
        let taken = revocations.map { "revoke \($0.number) \($0.path)" }
        return (lines + taken + others).map { $0 + "\n" }.joined()
    }

    /// Whether a program may type; nil if it is not on the list.
    public subscript(program: ProxyProgram) -> Bool? {
        guard program.isLasting else { return nil }
        return entries.first {
            $0.path == program.path && $0.device == program.device && $0.inode == program.inode
        }?.isAllowed
    }

    /// Puts a program on the list, in place of what was said of its path.
    public mutating func set(_ isAllowed: Bool, for program: ProxyProgram) {
        set(Entry(isAllowed: isAllowed, path: program.path, device: program.device, inode: program.inode))
    }

    private mutating func set(_ entry: Entry) {
        remove(path: entry.path)
        entries.append(entry)
        if entries.count > Self.limit { entries.removeFirst() }
    }

    /// Takes a path off the list. Returns whether it was on it.
    @discardableResult
    public mutating func remove(path: String) -> Bool {
        let count = entries.count
        entries.removeAll { $0.path == path }
        return entries.count < count
    }

    /// Takes a path off the list, and from its programs that run also what they were allowed for once.
    public mutating func revoke(path: String) {
        remove(path: path)
        add(Revocation(path: path, number: (revocations.map(\.number).max() ?? 0) &+ 1))
    }

    /// All that a list says of a path.
    package struct Word: Hashable {
        let entry: Entry?
        let revocation: Revocation?
    }

    /// All that the list says of a path: another word than before means that it was decided about again.
    package func says(of path: String) -> Word {
        Word(entry: entries.first { $0.path == path }, revocation: revocations.first { $0.path == path })
    }

    private mutating func add(_ revocation: Revocation) {
        revocations.removeAll { $0.path == revocation.path }
        revocations.append(revocation)
        if revocations.count > Self.limit { revocations.removeFirst() }
    }

    private static let limit = 256
}
