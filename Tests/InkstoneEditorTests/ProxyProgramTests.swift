import FoundationEssentials
import Glibc
import InkstoneTesting
import Testing

/// `inkstone proxy` as a built program.
@Suite(.timeLimit(.minutes(5))) struct ProxyProgramTests {
    private let scratch: OwnedDirectory

    init() throws { scratch = try OwnedDirectory() }

    private func run(_ arguments: String...) throws -> (
        status: InkstoneTesting.ExitStatus, output: String, errors: String
    ) {
        var variables = ProcessInfo.processInfo.environment
        variables["DISPLAY"] = nil
        variables["XDG_CONFIG_HOME"] = scratch.path
        let (out, errors) = ("\(scratch.path)/out", "\(scratch.path)/errors")
        for path in [out, errors] { unlink(path) }
        let process = try ChildProcess(
            Products.path(of: "inkstone"), ["proxy"] + arguments, environment: variables, output: .file(out),
            errors: .file(errors))
        let status = try process.waitForExit(within: 60_000)
        return (status, try TextFiles.read(out), try TextFiles.read(errors))
    }

    @Test func programsAreAllowedListedAndRevoked() throws {
        #expect(try run("list").output == "No program is on the list.\n")
        let program = scratch.path + "/a keyboard"
        try TextFiles.write("", to: program)
        chmod(program, 0o755)
        #expect(try run("allow", program).status == .exited(0))
        #expect(try TextFiles.read(scratch.path + "/inkstone/settings").contains("keyboards = yes\n"))
        #expect(try run("list").output == "allowed  \(program)\n")
        // Keep the old file under another name, so that its inode is not reused for the new file.
        rename(program, program + ".old")
        try TextFiles.write("", to: program)
        #expect(try run("list").output == "allowed  \(program) (another file is there now, which has to ask)\n")
        #expect(try run("revoke", program).status == .exited(0))
        #expect(try run("list").output == "No program is on the list.\n")
        // A program that was allowed only once is not on the list.
        #expect(try run("revoke", program).status == .exited(0))
        #expect(try run("list").output == "No program is on the list.\n")
        let none = try run("revoke", "/nowhere")
        #expect(none.status == .exited(0) && none.errors.contains("not on the list"))
        // A running program stays on the list though its file was deleted.
        #expect(try TextFiles.read(scratch.path + "/inkstone/keyboards").contains(" /nowhere\n"))
    }

    @Test func aListThatCannotBeReadIsLeftAloneAndUnknownLinesStay() throws {
        let (program, list) = (scratch.path + "/keyboard", scratch.path + "/inkstone/keyboards")
        try TextFiles.write("", to: program)
        chmod(program, 0o755)
        mkdir(scratch.path + "/inkstone", 0o700)
        let large = String(repeating: "later 1 2 /x\n", count: 6000)
        try TextFiles.write(large, to: list)
        #expect(try run("allow", program).status != .exited(0))
        #expect(try TextFiles.read(list) == large)
        try TextFiles.write("later 1 2 /x\n", to: list)
        #expect(try run("allow", program).status == .exited(0))
        #expect(try TextFiles.read(list).contains("later 1 2 /x\n"))
    }

    @Test func interpretersAndWhatIsNotThereAreNotAllowed() throws {
        let interpreter = scratch.path + "/python3"
        try TextFiles.write("", to: interpreter)
        chmod(interpreter, 0o755)
        for (path, reason) in [(interpreter, "runs programs of others"), ("/nowhere", "is no program")] {
            let outcome = try run("allow", path)
            #expect(outcome.status == .exited(64) && outcome.errors.contains(reason))
        }
        #expect(try run("list").output == "No program is on the list.\n")
    }
}
