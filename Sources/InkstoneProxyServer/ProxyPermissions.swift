import Glibc
import InkstoneBus

/// A program that asks for permission to type, as identified by the bus and the kernel. A hostile program of the
/// same user can deceive this identification.
public struct ProxyProgram: Hashable, Sendable {
    /// The path of the program's executable, on one line. If another file, or none, is now at that path of this
    /// machine, a remark follows the path.
    public let path: String
    /// The path of the program's executable, on one line, without the remark that ``path`` may have. The user's
    /// permissions are revoked by this path.
    package let file: String
    /// The identifier of the program's process; 0 if the program was found by its path.
    public let process: Int32
    /// The name that the program gives itself, on one line.
    public let name: String
    let device: UInt64
    let inode: UInt64
    /// Whether a permission for the program may be stored. The executable must still exist at its path, and only
    /// the user or root may be able to write it. It must not be known to run other programs. The path must not have
    /// invisible characters.
    public let isLasting: Bool

    package init(
        path: String, file: String? = nil, process: Int32, name: String, device: UInt64, inode: UInt64, isLasting: Bool
    ) {
        (self.path, self.file, self.process, self.name) = (path, file ?? path, process, name)
        (self.device, self.inode, self.isLasting) = (device, inode, isLasting)
    }

    /// Creates the program of a connection from the kernel's information about its executable. Does not access the
    /// disk.
    init(_ executable: BusPeer.Executable, process: Int32, name: String) {
        let path = Self.onOneLine(executable.path)
        self.init(
            // Mark the path if the executable is not in place: in a sandbox, the same path may name another file than
            // outside.
            path: executable.isInPlace ? path : "\(path) (replaced, or in a sandbox)", file: path, process: process,
            name: name,
            device: executable.device, inode: executable.inode,
            isLasting: executable.isInPlace
                && Self.isLasting(executable.path, owner: executable.owner, mode: executable.mode))
    }

    /// Creates the program of a connection. Nil for a process of another user, or if the bus or the kernel does not
    /// identify the process.
    init?(_ peer: BusPeer, name: String) {
        guard peer.userID == getuid(), let process = peer.processID, let executable = peer.executable else {
            return nil
        }
        self.init(executable, process: process, name: name)
    }

    /// Creates the program at a path of this machine; nil if there is no regular file. Blocks.
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

    /// Returns a path on one line, as in the list of permissions.
    package static func onOneLine(_ path: String) -> String { String(path.map { $0.isNewline ? " " : $0 }) }

    private static func isLasting(_ path: String, owner: UInt32, mode: UInt32) -> Bool {
        mode & 0o022 == 0 && [0, getuid()].contains(owner) && !runsOthers(path)
            && !path.unicodeScalars.contains { $0 == "\u{FFFD}" || isUnseen($0) }
    }

    /// The path as shown to the user. Invisible characters, and those that would change the order of the visible
    /// ones, are replaced by their code points.
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

    /// Whether a scalar is invisible: a control character, a format control such as those for the writing
    /// direction, or a default ignorable character.
    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// Whether an executable is known to run other programs or to send D-Bus calls for them, such as an interpreter, an
    /// emulator, a debugger or `dbus-send`.
    private static func runsOthers(_ path: String) -> Bool {
        let name = path.split(separator: "/").last.map { String($0) } ?? ""
        // The dynamic loader runs any program: ld-linux-x86-64.so.2, ld-musl-x86_64.so.1, ld-2.31.so.
        if name.hasPrefix("ld"), name.split(separator: ".").contains("so") { return true }
        if name.hasPrefix("qemu-") { return true }
        return interpreters.contains { interpreter in
            guard name.hasPrefix(interpreter) else { return false }
            // Allow suffixes of versions and variants: python3.13t, python3-dbg, perl5.36-x86_64-linux-gnu and
            // lua-5.4 are interpreters, pythonic is not.
            let rest = name.dropFirst(interpreter.count).drop { $0 == "." || $0 == "-" || $0 == "_" }
            return rest.first?.isNumber ?? true || variants.contains(String(rest))
        }
    }

    /// The suffixes of an interpreter's name that are not numbers.
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

/// The list of programs that the user has permanently permitted to type, or refused. Programs are identified by path,
/// device and inode. The list keeps lines of its stored form that it cannot parse.
public struct ProxyPermissions: Hashable, Sendable {
    /// A program in the list.
    public struct Entry: Hashable, Sendable {
        /// Whether the program is permitted to type.
        public var isAllowed: Bool
        /// The path of the program's executable.
        public var path: String
        var device: UInt64
        var inode: UInt64

        /// Whether the path now leads to another file, or to none. The user will then be asked about the program
        /// again. Blocks.
        public var isReplaced: Bool {
            let now = ProxyProgram(at: path)
            return now?.device != device || now?.inode != inode
        }
    }

    /// The programs, in the order of the decisions about them.
    public private(set) var entries: [Entry] = []
    /// The latest revocations; the last one is at the end. A revocation also ends the permissions that the user
    /// gave only to running processes of the program. Each revocation has a number of its own.
    private(set) var revocations: [Revocation] = []
    /// The lines of the stored list that could not be parsed, which are stored again.
    private var others: [String] = []

    /// A revocation of all permissions of the executable at a path.
    struct Revocation: Hashable {
        var path: String
        var number: UInt64
    }

    /// Creates an empty list.
    public init() {}

    /// Creates a list from its stored form. A line has the word `allow` or `refuse`, a device, an inode and a path; or
    /// the word `revoke`, a number and a path.
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

    /// The list in its stored form, which ``init(text:)`` parses.
    public var text: String {
        let lines = entries.map { "\($0.isAllowed ? "allow" : "refuse") \($0.device) \($0.inode) \($0.path)" }
        let taken = revocations.map { "revoke \($0.number) \($0.path)" }
        return (lines + taken + others).map { $0 + "\n" }.joined()
    }

    /// Whether a program is permitted to type. Nil if there is no entry for it with the same path, device and
    /// inode, or if no permission for it may be stored.
    public subscript(program: ProxyProgram) -> Bool? {
        guard program.isLasting else { return nil }
        return entries.first {
            $0.path == program.path && $0.device == program.device && $0.inode == program.inode
        }?.isAllowed
    }

    /// Adds a program to the list, in place of an entry with the same path. If the list is then longer than 256
    /// entries, the oldest one is removed.
    public mutating func set(_ isAllowed: Bool, for program: ProxyProgram) {
        set(Entry(isAllowed: isAllowed, path: program.path, device: program.device, inode: program.inode))
    }

    private mutating func set(_ entry: Entry) {
        remove(path: entry.path)
        entries.append(entry)
        if entries.count > Self.limit { entries.removeFirst() }
    }

    /// Removes the entry with a path. Returns whether there was one.
    @discardableResult
    public mutating func remove(path: String) -> Bool {
        let count = entries.count
        entries.removeAll { $0.path == path }
        return entries.count < count
    }

    /// Removes the entry with a path, and revokes the permissions that the user gave only to running processes of
    /// this executable.
    public mutating func revoke(path: String) {
        remove(path: path)
        add(Revocation(path: path, number: (revocations.map(\.number).max() ?? 0) &+ 1))
    }

    /// The decisions about a path: its entry and its revocation, each nil if the list has none.
    package struct Word: Hashable {
        let entry: Entry?
        let revocation: Revocation?
    }

    /// Returns the decisions about a path. If a later result differs, the user has decided about the path in the
    /// meantime.
    package func decision(of path: String) -> Word {
        Word(entry: entries.first { $0.path == path }, revocation: revocations.first { $0.path == path })
    }

    private mutating func add(_ revocation: Revocation) {
        revocations.removeAll { $0.path == revocation.path }
        revocations.append(revocation)
        if revocations.count > Self.limit { revocations.removeFirst() }
    }

    /// The maximum number of entries of the list, and of its revocations; the oldest ones are removed.
    private static let limit = 256
}
