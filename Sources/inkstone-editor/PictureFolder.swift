import Glibc
import Inkstone
import InkstoneFiles
import InkstoneMarkdown

/// A picture of a document, without its description, its size and its position in the line.
struct PlacedPicture: Hashable, Sendable {
    let contents: TextAttachment
    /// The address of the picture's file, as in the Markdown source; nil for none.
    var address: String?

    init(_ attachment: TextAttachment, address: String? = nil) {
        var contents = attachment
        (contents.alternateDescription, contents.size, contents.baselineOffset) = ("", nil, 0)
        (self.contents, self.address) = (contents, address?.isEmpty == false ? address : nil)
    }

    static func == (a: Self, b: Self) -> Bool { a.address.hasSameScalars(as: b.address) && a.contents == b.contents }
}

/// The folder of a Markdown document. The document's pictures are files in this folder or below: they are read for
/// the view, and written when the document is saved.
struct PictureFolder: Sendable {
    /// The absolute path of the document, which need not exist yet.
    let document: FilePath

    private var folder: FilePath { document.directory }

    /// The maximum total size, in bytes, of the pictures of a document that are read. Pictures beyond it are omitted.
    static let mostBytes = 256 << 20

    // MARK: Reading

    /// Returns the pictures of the addresses that refer to files in the folder, by address. Files elsewhere, and
    /// network addresses, are not read. The total size is at most ``mostBytes``: a picture that would exceed this after
    /// those before it is omitted. Blocks.
    func pictures(of addresses: [String]) -> [ScalarText: TextAttachment] {
        var result: [ScalarText: TextAttachment] = [:]
        var room = Self.mostBytes
        for address in addresses {
            guard let picture = picture(of: address, atMost: room) else { continue }
            room -= picture.contents.count
            result[address] = picture
        }
        return result
    }

    private func picture(of address: String, atMost room: Int) -> TextAttachment? {
        guard let path = path(of: address),
            let bytes = read(folder.appending(path), atMost: min(room, TextAttachment.mostBytes)),
            let picture = TextAttachment(image: bytes), picture.imageHeader?.isTooLarge == false
        else { return nil }
        return picture
    }

    /// Returns the relative path of a file in the folder that an address refers to; nil for addresses elsewhere.
    private func path(of address: String) -> FilePath? {
        // Refuse addresses with a colon before the first slash: it ends the scheme of a URL.
        let first = address.prefix { $0 != "/" }
        guard !address.isEmpty, !first.contains(":"), !address.contains(where: { "?#\\".contains($0) }) else {
            return nil
        }
        let path = FilePath(Self.decoded(address))
        let parts = path.bytes.split(separator: UInt8(ascii: "/"))
        guard !path.isAbsolute, !parts.isEmpty, !parts.contains(Array("..".utf8)[...]) else { return nil }
        return path
    }

    /// Returns the bytes of an address, with `%` and two hexadecimal digits replaced by the byte that they encode.
    private static func decoded(_ address: String) -> [UInt8] {
        func digit(_ byte: UInt8) -> UInt8? {
            // Read each digit by itself: `UInt8(_:radix:)` would also accept a sign.
            Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
        }
        let bytes = Array(address.utf8)
        var result: [UInt8] = []
        var at = 0
        while at < bytes.count {
            if bytes[at] == UInt8(ascii: "%"), at + 2 < bytes.count,
                let high = digit(bytes[at + 1]), let low = digit(bytes[at + 2])
            {
                result.append(high << 4 | low)
                at += 3
            } else {
                result.append(bytes[at])
                at += 1
            }
        }
        return result
    }

    /// Reads a file in the folder. Nil if it is empty, larger than `limit` or not a regular file, or if symbolic
    /// links lead out of the folder.
    private func read(_ path: FilePath, atMost limit: Int) -> [UInt8]? {
        let file = open(path.cString, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0,
            status.st_size <= limit, isInside(file)
        else { return nil }
        return Self.contents(of: file, size: Int(status.st_size))
    }

    /// Whether an open file is in the folder, with all symbolic links resolved.
    private func isInside(_ file: Int32) -> Bool {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let length = readlink("/proc/self/fd/\(file)", &target, Int(PATH_MAX))
        guard length > 0, let root = realpath(folder.cString, nil) else { return false }
        defer { free(root) }
        let folder = FilePath(cString: root)
        return folder == "/" || FilePath(cString: target).remainder(in: folder)?.isEmpty == false
    }

    private static func contents(of file: Int32, size: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: size)
        var done = 0
        while done < size {
            let count = bytes.withUnsafeMutableBytes {
                pread(file, $0.baseAddress?.advanced(by: done), size - done, off_t(done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            done += count
        }
        return bytes
    }

    /// Returns the pictures in files of any folder, in the order of the files. An element is nil if the file cannot be
    /// shown or is too large, or if with it the pictures would have more than `limit` bytes in all. Blocks.
    static func pictures(at paths: [FilePath], atMost limit: Int = mostBytes) -> [TextAttachment?] {
        var room = limit
        return paths.map { path in
            let picture = picture(at: path, atMost: room)
            room -= picture?.contents.count ?? 0
            return picture
        }
    }

    /// Returns the picture in a file of any folder; nil if the file is no picture that can be shown, or is larger
    /// than `room` or ``TextAttachment/mostBytes``. Blocks.
    static func picture(at path: FilePath, atMost room: Int = mostBytes) -> TextAttachment? {
        let file = open(path.cString, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0,
            status.st_size <= min(room, TextAttachment.mostBytes),
            let bytes = contents(of: file, size: Int(status.st_size)),
            let picture = TextAttachment(image: bytes), picture.imageHeader?.isTooLarge == false
        else { return nil }
        return picture
    }

    /// Returns the address of a file in the folder or below it; nil for other files.
    func address(of path: FilePath) -> String? {
        guard let rest = path.remainder(in: folder) else { return nil }
        let address = Self.encoded(FilePath(rest.bytes.drop { $0 == UInt8(ascii: "/") }))
        return self.path(of: address) == nil ? nil : address
    }

    /// Whether a file's name has the suffix of a supported picture format.
    static func isPicture(_ path: FilePath) -> Bool {
        let name = path.lastComponent.description.lowercased()
        return ([".jpeg"] + suffixes.values).contains { name.hasSuffix($0) }
    }

    // MARK: Writing

    /// The name of the folder beside the document that its pictures are written to.
    private var assets: FilePath {
        let name = StyledExport.markdown.suffixes.reduce(document.lastComponent) { $0.dropping(suffix: $1) }
        return name.appending(suffix: ".assets")
    }

    /// The name of the folder that pictures are written to, as shown to the user.
    var label: String { assets.label }

    /// Writes pictures to files beside the document, and returns them with the addresses of these files. Existing
    /// files are not overwritten; a file that has the picture already is used for it. Blocks until the disk has the
    /// files.
    ///
    /// - Parameters:
    ///   - pictures: the pictures with the addresses that they had, perhaps in another document; nil for none. A
    ///     picture keeps its address if that refers to the same picture in this folder.
    ///   - names: the names of the files from which pictures were inserted. The others get numbers.
    func write(
        _ pictures: [PlacedPicture], names: [TextAttachment: FilePath] = [:]
    ) -> Result<[PlacedPicture], TextFileError> {
        var result: [PlacedPicture] = []
        var (next, hasUsedAssets) = (1, false)
        do throws(TextFileError) {
            for picture in pictures {
                var picture = picture
                if !isThere(picture) {
                    let name = try write(picture.contents, named: names[picture.contents], &next)
                    picture.address = Self.encoded(assets.appending(name))
                    // Sync the folder even if an existing file is used for the picture: the file may be from an
                    // earlier save that failed before the sync.
                    hasUsedAssets = true
                }
                result.append(picture)
            }
            if hasUsedAssets { try flush() }
        } catch {
            return .failure(error)
        }
        return .success(result)
    }

    private func isThere(_ picture: PlacedPicture) -> Bool {
        guard let address = picture.address else { return false }
        let found = self.picture(of: address, atMost: picture.contents.contents.count)
        return found.map { PlacedPicture($0).contents == picture.contents } ?? false
    }

    /// Writes a picture to a file with a wanted name, if that is free, or else with the first free number. Returns the
    /// file's name. If a file with the name or an earlier number has the same picture, returns the name of that file
    /// instead.
    private func write(
        _ picture: TextAttachment, named wanted: FilePath?, _ next: inout Int
    ) throws(TextFileError) -> FilePath {
        let directory = folder.appending(assets)
        if mkdir(directory.cString, 0o777) != 0 {
            let code = errno
            var status = stat()
            let isThere = code == EEXIST && lstat(directory.cString, &status) == 0
            // Refuse a folder that is a symbolic link: it may lead elsewhere, and the picture would not be read
            // from there.
            guard isThere, status.st_mode & S_IFMT == S_IFDIR else {
                throw .writeFailed(path: document, step: "mkdir", code: isThere ? ENOTDIR : code)
            }
        }
        let suffix = Self.suffixes[picture.type] ?? ".img"
        let wanted = wanted.flatMap(Self.usable)
        var copy = 1
        while true {
            let name = wanted.map { Self.name($0, copy: copy) } ?? FilePath("image-\(next)\(suffix)")
            let path = directory.appending(name)
            let file = open(path.cString, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
            guard file >= 0 else {
                guard errno == EEXIST else { throw .writeFailed(path: document, step: "open", code: errno) }
                if read(path, atMost: picture.contents.count) == picture.contents { return name }
                if wanted == nil { next += 1 } else { copy += 1 }
                continue
            }
            defer { close(file) }
            guard let step = Self.write(picture.contents, to: file) else {
                if wanted == nil { next += 1 }
                return name
            }
            let code = errno
            unlink(path.cString)
            throw .writeFailed(path: document, step: step, code: code)
        }
    }

    /// The longest name of a file that is kept, in bytes.
    private static let longestName = 200

    /// Returns the name of a file if it may be that of a picture's file; nil for a name that is long, hidden, or not
    /// text, or that does not look like a picture's.
    private static func usable(_ name: FilePath) -> FilePath? {
        guard let text = name.text, !text.hasPrefix("."), name.bytes.count <= longestName, isPicture(name),
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        return name
    }

    /// Returns a name with a number before its suffix, which distinguishes files of one name; the first has none.
    private static func name(_ name: FilePath, copy: Int) -> FilePath {
        guard copy > 1, let dot = name.bytes.lastIndex(of: UInt8(ascii: ".")) else { return name }
        return FilePath(name.bytes[..<dot] + "-\(copy)".utf8 + name.bytes[dot...])
    }

    /// Writes bytes to an open file, and waits until the disk has them. Returns the step that failed, or nil.
    private static func write(_ bytes: [UInt8], to file: Int32) -> String? {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(file, $0.baseAddress?.advanced(by: done), bytes.count - done)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return "write" }
            done += count
        }
        return fsync(file) == 0 ? nil : "fsync"
    }

    /// Waits until the disk has the names of the files that were written.
    private func flush() throws(TextFileError) {
        for path in [folder.appending(assets), folder] {
            let directory = open(path.cString, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard directory >= 0 else { continue }
            defer { close(directory) }
            // Ignore `EINVAL`: some file systems cannot sync a folder, and need not.
            guard fsync(directory) == 0 || errno == EINVAL else {
                throw .writeFailed(path: document, step: "fsync", code: errno)
            }
        }
    }

    /// The suffixes of file names for the types of pictures.
    private static let suffixes = [
        "image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/gif": ".gif",
    ]

    /// Returns a path as an address, escaped so that other programs can read it.
    private static func encoded(_ path: FilePath) -> String {
        guard let text = path.text else { return path.bytes.map(escaped).joined() }
        return text.unicodeScalars.map { scalar in
            scalar.value <= 0x20 || scalar.value == 0x7f || "%?#:\\<>\"()&*[]`".unicodeScalars.contains(scalar)
                ? escaped(UInt8(truncatingIfNeeded: scalar.value)) : String(scalar)
        }.joined()
    }

    private static func escaped(_ byte: UInt8) -> String {
        if byte < 0x80, UnicodeScalar(byte).properties.isAlphabetic || "0123456789-./_".utf8.contains(byte) {
            return String(UnicodeScalar(byte))
        }
        return "%" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}
