import Glibc
import InkstoneBase
import InkstoneInput
import InkstoneWords

extension KeyBindingTable {
    /// The file of the user's key bindings for all programs of this library: `inkstone/keys` in the XDG
    /// configuration directory. Nil if neither `XDG_CONFIG_HOME` nor `HOME` is an absolute path. The file need not
    /// exist.
    public static var userFile: FilePath? { UserDirectory.configuration.file("keys") }

    /// Returns the bindings in ``userFile`` and the file's errors; the desktop's bindings if the file does not
    /// exist. Valid lines are used even if others are not valid.
    public static func user(
        knownCommands: [EditCommand] = EditCommand.all
    ) -> (table: KeyBindingTable, problem: KeyBindingFileError?) {
        guard let file = userFile, access(file.cString, F_OK) == 0 else { return (.desktop, nil) }
        return contents(of: file, knownCommands: knownCommands)
    }

    /// Returns the bindings in a file, in the format of ``init(parsing:file:knownCommands:salvaged:)``, and the
    /// file's errors.
    ///
    /// Valid lines are used even if others are not valid. Returns the desktop's bindings if the file cannot be
    /// read, is not a regular file or is larger than one megabyte.
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

    /// Returns the text of a file, and the numbers, from 1, of the lines that are not UTF-8. In the text, each of
    /// these lines is replaced by U+FFFD, which is no valid binding.
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
        // Do not block if the path is that of a pipe or a device.
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
