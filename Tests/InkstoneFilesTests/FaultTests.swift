import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneText
import Testing
import TextTestSupport

@testable import InkstoneFiles

/// Real faults: killed processes, full disks, removed permissions, traced system calls.
@Suite(.enabled(if: RoleProcess.role == nil), .serialized, .timeLimit(.minutes(5))) struct FaultTests {
    let scratch = Scratch()
    static let runs = isLongTier ? 200 : 20

    @Test func afterKillNineTheFileIsTheOldOrTheNewOne() throws {
        var random = SeededGenerator(seed: UInt64(getpid()))
        print("killed while saving: seed \(getpid()), \(Self.runs) runs")
        let path = scratch.put("file", ChildRoles.saved(0))
        var inFlight = 0
        for run in 0..<Self.runs {
            let child = try RoleProcess("save", in: scratch, environment: ["INKSTONE_CHILD_FILE": path])
            let saves = child.read(1 + random.below(12)).count
            let until = ChildRoles.milliseconds() + random.below(8)
            while ChildRoles.milliseconds() < until {}
            // Kill at a random moment, or in the middle of a save, which chance alone would miss on a fast disk.
            if run % 2 == 1 {
                #expect(
                    child.stop(when: { scratch.names().contains { $0.hasSuffix(".inkstone") } }), "no save was seen")
            }
            child.kill()
            child.wait()
            let text = String(decoding: contents(path), as: UTF8.self)
            let number = text.prefix { $0 != "\n" }.split(separator: " ").last.flatMap { Int($0) }
            #expect(saves > 0)
            #expect(number.map { ChildRoles.saved($0) == text } == true, "a torn file")
            // A killed save leaves files beside the file, and never half a text in it.
            let left = scratch.names().filter { $0.hasSuffix(".inkstone") }
            inFlight += left.isEmpty ? 0 : 1
            #expect(left.count <= 1, "saves do not clean up: \(left)")
            // Every other time the next child's save finds it.
            if random.once(in: 2) { #expect(TextFile.removeLeftovers(of: path) == left.count) }
        }
        TextFile.removeLeftovers(of: path)
        #expect(!scratch.names().contains { $0.hasSuffix(".inkstone") })
        print("killed in the middle of a save: \(inFlight) of \(Self.runs)")
        #expect(inFlight > 0, "no kill hit a save")
    }

    @Test func afterKillNineTheJournalGivesBackWhatWasTyped() throws {
        var random = SeededGenerator(seed: UInt64(getpid()) &+ 1)
        print("killed while typing: seed \(getpid() + 1), \(Self.runs) runs")
        let text = "The text of the file.\n"
        let path = scratch.put("file", text)
        let journals = FilePath(scratch.file("journals"))
        var worst = 0
        for run in 0..<Self.runs {
            let child = try RoleProcess(
                "type", in: scratch,
                environment: ["INKSTONE_CHILD_FILE": path, "INKSTONE_CHILD_JOURNALS": journals.description])
            let wanted = run % 5 == 0 ? 1100 + random.below(500) : 1 + random.below(150)
            var report = child.read(8 * wanted)
            // While its process lives, nobody else may use the journal.
            #expect(RecoveredDocument.all(of: path, directory: journals).isEmpty)
            child.kill()
            let killed = ChildRoles.milliseconds()
            child.wait()
            report += child.read(1 << 20)
            let times = (0..<report.count / 8).map { i in
                report.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: i * 8, as: Int.self) }
            }
            let found = RecoveredDocument.all(of: path, directory: journals)
            let due = times.filter { $0 < killed - 1000 }.count
            guard let document = found.first else {
                // The process was killed before the journal's thread had started.
                #expect(due == 0, "no journal after \(times.count) edits")
                worst = max(worst, times.count)
                continue
            }
            #expect(found.count == 1 && (document.state == .intact || document.state == .truncated))
            let store = TextStore(try TextFile.read(path).text)
            #expect(document.apply(to: store))
            let isAsTyped = store.text.description == ChildRoles.typed(document.editCount, on: text)
            #expect(isAsTyped, "run \(run): another text than the one after \(document.editCount) edits")
            #expect(document.editCount >= due, "\(document.editCount) of \(due) edits older than a second")
            worst = max(worst, times.count - document.editCount)
            store.undo()
            #expect(store.text.description == text)
            document.discard()
        }
        print("most edits lost by a kill: \(worst)")
        #expect(RecoveredDocument.all(directory: journals).isEmpty)
    }

    @Test func aSaveWritesSyncsRenamesAndSyncsTheDirectoryInThisOrder() throws {
        let path = scratch.put("file", "text of the file")
        let log = scratch.file("trace")
        let child = try RoleProcess(
            "save once", in: scratch, environment: ["INKSTONE_CHILD_FILE": path],
            under: ["strace", "-f", "-y", "-o", log, "-e", "trace=openat,write,fsync,rename,renameat,renameat2,fchmod"])
        #expect(child.wait(), "strace is needed: apt-get install strace")
        let trace = String(decoding: contents(log), as: UTF8.self).split(separator: "\n")
        let steps = trace.compactMap { line -> String? in
            guard line.contains(scratch.path), !line.contains("report-"), !line.contains("child-output") else {
                return nil
            }
            let isTemporary = line.contains(".inkstone")
            if line.contains("openat("), line.contains("O_EXCL"), isTemporary { return "create" }
            if line.contains(" write("), isTemporary { return "write" }
            if line.contains("fchmod("), isTemporary { return "mode" }
            if line.contains("fsync("), isTemporary { return "sync" }
            if line.contains("rename"), line.contains("= 0") { return "rename" }
            if line.contains("fsync("), line.contains("<\(scratch.path)>") { return "sync directory" }
            return nil
        }
        #expect(
            steps == ["create", "mode", "write", "mode", "sync", "rename", "sync directory"],
            "\(trace.joined(separator: "\n"))"
        )
    }

    @Test func textTypedOnASlowDiskIsInTheJournalAtOnce() throws {
        let child = try RoleProcess(
            "type on a slow disk", in: scratch, environment: ["INKSTONE_CHILD_FILE": scratch.file("file")],
            under: [
                "strace", "-f", "-o", "/dev/null", "-e", "trace=fdatasync",
                "-e", "inject=fdatasync:delay_enter=3000000",
            ])
        #expect(String(decoding: child.read(1 << 16), as: UTF8.self) == "written meanwhile: true\n")
    }

    @Test func aFullDiskLeavesTheOldFileWhole() throws {
        let directory = scratch.file("disk")
        mkdir(directory, 0o777)
        let path = directory + "/file"
        // A disk of 1 MB of the child's own, where namespaces allow it; else a limit on the size of files.
        let wrapper = [
            "unshare", "--map-root-user", "--mount", "sh", "-c",
            "mount -t tmpfs -o size=1m tmpfs \"$0\" && exec \"$@\"", directory,
        ]
        let canMount =
            run("/usr/bin/unshare", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs", directory) == 0
        print("full disk: by \(canMount ? "a tmpfs of 1 MB" : "RLIMIT_FSIZE, because nothing can be mounted")")
        if !canMount { _ = scratch.put("disk/file", "old") }
        let child = try RoleProcess(
            "fill the disk", in: scratch,
            environment: ["INKSTONE_CHILD_FILE": path].merging(canMount ? [:] : ["INKSTONE_CHILD_LIMIT": "1000000"]) {
                $1
            },
            under: canMount ? wrapper : [])
        let report = String(decoding: child.read(1 << 16), as: UTF8.self)
        child.wait()
        #expect(report.contains("was not saved: the disk is full, and the text needs 4096 KB."), "\(report)")
        #expect(report.contains("Reading was cancelled."), "the old text is damaged: \(report)")
        if !canMount { #expect(scratch.names().contains("disk") && contents(path) == Array("old".utf8)) }
    }

    /// Whether this user may mount a small disk in a namespace of its own.
    static let canMount =
        run("/usr/bin/unshare", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt") == 0

    @Test func textTypedOnAFullDiskIsJournaledWhenThereIsRoomAgain() throws {
        guard try NotRun.unless(Self.canMount, "needs a namespace to mount a disk of 1 MB in") else { return }
        let directory = scratch.file("disk")
        mkdir(directory, 0o777)
        let child = try RoleProcess(
            "type on a full disk", in: scratch, environment: ["INKSTONE_CHILD_FILE": directory + "/ballast"],
            under: [
                "unshare", "--map-root-user", "--mount", "sh", "-c",
                "mount -t tmpfs -o size=1m tmpfs \"$0\" && exec \"$@\"", directory,
            ])
        let report = String(decoding: child.read(1 << 16), as: UTF8.self)
        child.wait()
        #expect(
            report.hasPrefix("said 1 times, whole meanwhile: true, behind meanwhile: true, all back: true | "),
            "\(report)")
        #expect(report.contains("is not protected against a crash") && report.contains("make room there"), "\(report)")
    }

    @Test func howeverMuchIsTypedOnAFullDiskTheMemoryIsBoundedAndAllComesBack() throws {
        guard try NotRun.unless(Self.canMount, "needs a namespace to mount a disk of 1 MB in") else { return }
        let directory = scratch.file("disk")
        mkdir(directory, 0o777)
        let child = try RoleProcess(
            "type much on a full disk", in: scratch, environment: ["INKSTONE_CHILD_FILE": directory + "/ballast"],
            under: [
                "unshare", "--map-root-user", "--mount", "sh", "-c",
                "mount -t tmpfs -o size=1m tmpfs \"$0\" && exec \"$@\"", directory,
            ])
        let report = String(decoding: child.read(1 << 16), as: UTF8.self)
        child.wait()
        #expect(report == "failures 1, within the limit: true, resumed 1, edits few: true, all back: true\n")
    }

    @Test func aFileReplacedDuringASaveIsNotOverwritten() throws {
        let path = scratch.put("file", "old")
        // The disk needs two seconds to confirm the new file, which is visible meanwhile.
        let child = try RoleProcess(
            "save again", in: scratch, environment: ["INKSTONE_CHILD_FILE": path],
            under: ["strace", "-f", "-o", "/dev/null", "-e", "trace=fsync", "-e", "inject=fsync:delay_enter=2000000"])
        let deadline = ChildRoles.milliseconds() + 30_000
        // The temporary file is locked before anything is written to it.
        func isBegun(_ name: String) -> Bool {
            name.hasSuffix(".inkstone") && !contents(scratch.file(name)).isEmpty
        }
        while !scratch.names().contains(where: isBegun), ChildRoles.milliseconds() < deadline {}
        #expect(TextFile.removeLeftovers(of: path) == 0, "a save that goes on is no leftover")
        #expect(scratch.names().contains { $0.hasSuffix(".inkstone") })
        _ = scratch.put("file", "written by another program")
        let report = String(decoding: child.read(1 << 16), as: UTF8.self)
        child.wait()
        #expect(report.contains("has changed on disk since you opened it"), "\(report)")
        #expect(contents(path) == Array("written by another program".utf8))
        #expect(!scratch.names().contains { $0.hasSuffix(".inkstone") })
    }

    @Test func deniedWritesAndReadsAreReported() throws {
        func outcome(_ role: String, _ path: String) throws -> String {
            let child = try RoleProcess(role, in: scratch, environment: ["INKSTONE_CHILD_FILE": path])
            defer { child.wait() }
            return String(decoding: child.read(1 << 16), as: UTF8.self)
        }
        chmod(scratch.path, 0o755)
        let readOnly = scratch.put("read-only", "old")
        chmod(readOnly, 0o444)
        #expect(try outcome("save as nobody", readOnly).contains("is write-protected"))
        if geteuid() != 0 { chmod(scratch.path, 0o555) }
        #expect(
            try outcome("save as nobody", scratch.file("none")).contains(
                "you do not have permission to create files in “\(scratch.path)”"))
        chmod(scratch.path, 0o755)
        let secret = scratch.put("secret", "old")
        chmod(secret, 0o000)
        #expect(try outcome("read as nobody", secret).contains("You do not have permission to read “\(secret)”."))
    }
}
