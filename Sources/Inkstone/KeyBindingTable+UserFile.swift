import Glibc
import InkstoneBase
import InkstoneInput
import InkstoneWords

extension KeyBindingTable {
    /// The file of the user's bindings for all programs of this library: `inkstone/keys` under the XDG configuration directory; nil if neither
    /// `XDG_CONFIG_HOME` nor `HOME` names an absolute path. The file need not exist.
    public static var userFile: FilePath? { UserDirectory.configuration.file("keys") }

    /// Returns the user's bindings, from ``userFile``, with the file's problems; the desktop's bindings if there is no such file. Good lines are
    /// used even if others are not.
    public static func user(
        knownCommands: [EditCommand] = EditCommand.all
    ) -> (table: KeyBindingTable, problem: KeyBindingFileError?) {
        guard let file = userFile, access(file.cString, F_OK) == 0 else { return (.desktop, nil) }
        return contents(of: file, knownCommands: knownCommands)
    }

    /// Returns the bindings in a file, as ``init(parsing:file:knownCommands:salvaged:)`` describes it, with the file's problems.
    ///
    /// Good lines are used even if others are not. A file that cannot be read, is no ordinary file or has more than a megabyte gives the desktop's
    /// bindings.
    public static func contents(
        of file: FilePath, knownCommands: [EditCommand] = EditCommand.all
    ) -> (table: KeyBindingTable, problem: KeyBindingFileError?) {
        let bytes: [UInt8]
        do { bytes = try read(file) } catch { return (.desktop, error) }
        let (text, badLines) = Self.text(of: bytes)
        var salvaged = KeyBindingTable.desktop
        do throws(KeyBindingFileError) {
            return (
                try KeyBindingTable(parsing: text, file: file.description, knownCommands: knownCommands) {
                    salvaged = $0
                }, nil
            )
        } catch {
            var problem = error
            for index in problem.lines.indices where badLines.contains(problem.lines[index].number) {
                problem.lines[index].message = localized("its bytes are no UTF-8")
            }
            return (salvaged, problem)
        }
    }

    /// Returns the text of a file's lines of UTF-8, and the numbers, from 1, of the other lines: in the text, a sign that is no binding replaces
    /// each of these.
    private static func text(of bytes: [UInt8]) -> (text: String, badLines: [Int]) {
        if let text = String(validating: bytes, as: UTF8.self) { return (text, []) }
        var (text, bad, number) = ("", [Int](), 1)
        var rest = bytes[...]
        while let end = rest.firstIndex(where: { $0 == 0x0a || $0 == 0x0d }) ?? rest.indices.last.map({ $0 + 1 }) {
            let line = String(validating: rest[..<end], as: UTF8.self)
            if line == nil { bad.append(number) }
            text += line ?? "\u{fffd}"
            let next = rest[end...].starts(with: [0x0d, 0x0a]) ? end + 2 : min(end + 1, rest.endIndex)
            text.unicodeScalars.append("\n")
            (rest, number) = (rest[next...], number + 1)
        }
        return (text, bad)
    }

    private static func read(_ file: FilePath) throws(KeyBindingFileError) -> [UInt8] {
        // Opening a pipe or a device could block.
        let descriptor = open(file.cString, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw KeyBindingFileError(file: file.description, reason: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw KeyBindingFileError(file: file.description, reason: localized("it is no ordinary file"))
        }
        guard status.st_size <= 1 << 20 else {
            throw KeyBindingFileError(file: file.description, reason: localized("it is too large"))
        }
        var bytes = [UInt8](repeating: 0, count: 1 << 20 + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + count, $0.count - count) }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else {
                throw KeyBindingFileError(file: file.description, reason: String(cString: strerror(errno)))
            }
            if got == 0 { break }
            count += got
        }
        return Array(bytes[..<count])
    }
}
