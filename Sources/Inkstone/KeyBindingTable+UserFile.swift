import Glibc
import InkstoneBase
import InkstoneInput
import InkstoneWords

extension KeyBindingTable {
    /// Where a user keeps bindings for all programs of this library: `inkstone/keys` under the XDG configuration
    /// directory; nil if neither `XDG_CONFIG_HOME` nor `HOME` names an absolute path. The file need not exist.
    public static var userFile: FilePath? { UserDirectory.configuration.file("keys") }

    /// The user's bindings, from ``userFile``; the desktop's if there is no such file. What is wrong with the file comes
    /// along, and its good lines are taken all the same.
    public static func user(
        knownCommands: [EditCommand] = EditCommand.all
    ) -> (table: KeyBindingTable, problem: KeyBindingFileError?) {
        guard let file = userFile, access(file.cString, F_OK) == 0 else { return (.desktop, nil) }
        return contents(of: file, knownCommands: knownCommands)
    }

    /// The bindings in a file, as ``init(parsing:file:knownCommands:salvaged:)`` describes it, with what is wrong with it.
    ///
    /// Good lines are taken even if others are not. A file that cannot be read, is no ordinary file or has more than a
    /// megabyte gives the desktop's bindings.
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

    /// The text of a file whose lines are of UTF-8, and the numbers, from 1, of those that are not: in the text these are a
    /// sign that no binding is.
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
        // A pipe or a device would be waited for.
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
