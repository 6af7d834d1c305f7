import Glibc
import InkstoneBase

extension PagePrinter {
    /// Prints to a PDF file and returns the number of pages. An existing file of that name stays unchanged until
    /// all pages are written.
    ///
    /// - Parameters:
    ///   - path: the file. An existing file is replaced, or overwritten if it has several names or another owner; a
    ///     symbolic link is followed. Devices and pipes are written directly.
    ///   - progress: see ``print(progress:to:)``.
    @discardableResult
    public func print(
        to path: FilePath, progress: (PrintProgress) -> Bool = { _ in true }
    ) throws(PrintError) -> Int {
        let file = try OutputFile(path)
        do throws(PrintError) {
            let pages = try print(progress: progress) { (bytes) throws(PrintError) in try file.write(bytes) }
            try file.finish()
            return pages
        } catch {
            file.discard()
            throw error
        }
    }

    /// Prints on a printer with the program `lp`. Returns the message of the printing system, such as the job
    /// number. If printing is cancelled while `lp` does not answer, `lp` is killed.
    ///
    /// - Parameters:
    ///   - printer: the printer's name; nil for the user's default printer.
    ///   - progress: see ``print(progress:to:)``. Also called again and again while `lp` runs without output.
    @discardableResult
    public func print(
        toPrinter printer: String?, progress: (PrintProgress) -> Bool = { _ in true }
    ) throws(PrintError) -> String {
        let spool = try SpoolFile()
        defer { spool.close() }
        let pages = try print(progress: progress) { (bytes) throws(PrintError) in
            let code = spool.write(bytes)
            if code != 0 { throw .noSpool(code: code) }
        }
        return try spool.submit(to: printer, title: setup.title, media: setup.paper.name) {
            progress(PrintProgress(pages: pages, fraction: 1))
        }
    }
}

/// An output file that replaces an existing file only when it is complete. A file with several names, or of another
/// owner, is not replaced but overwritten then, because a new file would have neither.
private final class OutputFile {
    private let path: FilePath
    /// The temporary file that is written; nil if the target itself is written, as for a device.
    private let temporary: FilePath?
    private let target: FilePath
    /// Whether the temporary file's content is copied to the target instead of replacing it.
    private let isCopied: Bool
    private var descriptor: Int32

    init(_ path: FilePath) throws(PrintError) {
        self.path = path
        guard !path.isEmpty, !path.endsInSlash else { throw .unwritable(path, code: path.isEmpty ? ENOENT : EISDIR) }
        var status = stat()
        let exists = stat(path.cString, &status) == 0
        if exists, status.st_mode & S_IFMT == S_IFDIR { throw .unwritable(path, code: EISDIR) }
        if exists, status.st_mode & S_IFMT != S_IFREG {
            (temporary, target, isCopied) = (nil, path, false)
            // Open without blocking, so that a pipe without a reader is refused instead of waited for.
            descriptor = open(path.cString, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
            guard descriptor >= 0 else { throw .unwritable(path, code: errno) }
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
            return
        }
        if exists, access(path.cString, W_OK) != 0 { throw .unwritable(path, code: errno) }
        target = Self.resolved(path)
        isCopied = exists && (status.st_nlink > 1 || status.st_uid != geteuid())
        for number in 0..<100 {
            let candidate = target.directory.appending(
                FilePath(".inkstone-\(getpid())-\(number).pdf"))
            descriptor = open(
                candidate.cString, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, exists ? status.st_mode & 0o777 : 0o666)
            if descriptor >= 0 {
                temporary = candidate
                if exists { keepPermissions(of: status) }
                return
            }
            guard errno == EEXIST else { break }
        }
        throw .unwritable(path, code: errno)
    }

    /// Returns the file to which symbolic links lead; the path itself if there is no such file.
    private static func resolved(_ path: FilePath) -> FilePath {
        guard let found = realpath(path.cString, nil) else { return path }
        defer { free(found) }
        return FilePath(cString: found)
    }

    /// Gives the temporary file the group and the mode of the file that it replaces, without regard to the umask. If it
    /// cannot have the group, its own group gets no more permissions than everybody.
    private func keepPermissions(of status: stat) {
        var mode = status.st_mode & 0o777
        if fchown(descriptor, uid_t.max, status.st_gid) != 0 { mode &= ~0o070 | (mode & 0o007) << 3 }
        fchmod(descriptor, mode)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(PrintError) {
        let code = writeAll(bytes, to: descriptor)
        if code != 0 { throw .unwritable(path, code: code) }
    }

    func finish() throws(PrintError) {
        // Synchronize and rename only a temporary file: with a device that is not possible.
        if let temporary {
            guard fsync(descriptor) == 0 || errno == EINVAL else { throw .unwritable(path, code: errno) }
            if isCopied {
                try copy()
                return discard()
            }
            guard Glibc.close(descriptor) == 0 else { throw unwritableAfterClose() }
            descriptor = -1
            guard rename(temporary.cString, target.cString) == 0 else { throw .unwritable(path, code: errno) }
        } else {
            Glibc.close(descriptor)
            descriptor = -1
        }
    }

    /// Copies the temporary file to the target, after it has reserved the room for it.
    private func copy() throws(PrintError) {
        var status = stat()
        let output = open(target.cString, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        var old = stat()
        guard output >= 0, fstat(descriptor, &status) == 0, fstat(output, &old) == 0 else {
            let code = errno
            if output >= 0 { Glibc.close(output) }
            throw .unwritable(path, code: code)
        }
        var code = posix_fallocate(output, 0, max(1, status.st_size))
        if code == EOPNOTSUPP || code == EINVAL { code = 0 }
        // If the disk is full, part of the room may have been reserved: release it.
        if code != 0 { ftruncate(output, old.st_size) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var offset: off_t = 0
        while code == 0, offset < status.st_size {
            let count = pread(descriptor, &buffer, buffer.count, offset)
            guard count > 0 else {
                code = count < 0 ? errno : EIO
                break
            }
            code = buffer.withUnsafeBytes { writeAll(UnsafeRawBufferPointer(rebasing: $0[..<count]), to: output) }
            offset += off_t(count)
        }
        if code == 0, ftruncate(output, status.st_size) != 0 { code = errno }
        if code == 0, fsync(output) != 0, errno != EINVAL { code = errno }
        if Glibc.close(output) != 0, code == 0 { code = errno }
        if code != 0 { throw .unwritable(path, code: code) }
    }

    private func unwritableAfterClose() -> PrintError {
        descriptor = -1
        return .unwritable(path, code: errno)
    }

    func discard() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
        if let temporary { unlink(temporary.cString) }
    }
}

/// A temporary file without a name, for pages to be sent to a printer.
private final class SpoolFile {
    private let descriptor: Int32

    init() throws(PrintError) {
        let directory = getenv("TMPDIR").map { FilePath(cString: $0) } ?? "/tmp"
        var name = directory.appending("inkstone-XXXXXX").cString
        descriptor = mkstemp(&name)
        guard descriptor >= 0 else { throw .noSpool(code: errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(name)
    }

    func close() { Glibc.close(descriptor) }

    /// Writes bytes to the file. Returns an `errno`, or 0.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int32 { writeAll(bytes, to: descriptor) }

    /// Runs `lp`, without a shell, with the pages as standard input, and returns its output. Calls `goesOn` again and
    /// again while `lp` writes no output, and kills `lp` if that returns false.
    func submit(
        to printer: String?, title: String, media: String, goesOn: () -> Bool
    ) throws(PrintError) -> String {
        lseek(descriptor, 0, SEEK_SET)
        var words = ["lp", "-o", "media=\(media)"]
        if let printer { words += ["-d", printer] }
        let title = title.filter { $0 != "\0" }
        if !title.isEmpty { words += ["-t", title] }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw .noSpool(code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { Glibc.close(ends[0]) }
        let process: pid_t
        do throws(SpawnedProgram.Failure) {
            defer { Glibc.close(ends[1]) }
            process = try SpawnedProgram(words, input: descriptor, output: ends[1], messages: ends[1]).process
        } catch {
            throw error.code == ENOENT ? .noPrintingSystem : .refused(String(cString: strerror(error.code)))
        }
        var messageBytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            var ready = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
            // After a time-out or a signal there may be nothing to read: only check whether to go on.
            if poll(&ready, 1, 200) <= 0 {
                guard goesOn() else { throw Self.end(process) }
                continue
            }
            let count = read(ends[0], &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            // Drop output beyond the length of a message that a user would read.
            if messageBytes.count < 4096 { messageBytes += buffer[..<count] }
        }
        var status: Int32 = 0
        while true {
            let ended = waitpid(process, &status, WNOHANG)
            if ended == process || ended < 0 && errno != EINTR { break }
            guard goesOn() else { throw Self.end(process) }
            usleep(20_000)
        }
        let reply = String(decoding: messageBytes, as: UTF8.self).split(whereSeparator: \.isNewline).joined(
            separator: " ")
        // Status 127 without output means that the program could not be run. posix_spawn may not have reported that.
        if status >> 8 & 0xff == 127, status & 0x7f == 0, reply.isEmpty { throw .noPrintingSystem }
        guard status == 0 else { throw .refused(reply) }
        return reply
    }

    /// Kills a program and waits until it has ended. Returns the error to throw, ``PrintError/cancelled``.
    private static func end(_ process: pid_t) -> PrintError {
        kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return .cancelled
    }
}

/// Writes all bytes to a descriptor. Returns an `errno`, or 0.
private func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count >= 0 {
            rest = rest.dropFirst(count)
        } else if errno != EINTR {
            return errno
        }
    }
    return 0
}
