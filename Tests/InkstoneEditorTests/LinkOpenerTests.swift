import Glibc
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// The addresses that the editor lets the desktop open.
@Suite("Opening links", .timeLimit(.minutes(5))) struct LinkOpenerTests {
    @Test(arguments: [
        ("https://example.org/a?b=c", true), ("HTTP://example.org", true), ("mailto:me@example.org", true),
        ("javascript:alert(1)", false), ("file:///etc/passwd", false), ("other.md", false), ("--help", false),
        ("https://a b", false), ("https://a\nb", false), ("ftp://example.org", false), ("", false),
        ("mailto:me@example.org?subject=a&body=b", true), ("mailto:?attach=/etc/passwd", false),
        ("mailto:me@example.org?subject=a&Att%61ch=/etc/passwd", false),
    ])
    func onlyPagesAndMailboxesAreOpened(_ address: String, _ isOpened: Bool) {
        #expect(LinkOpener.takes(address) == isOpened)
    }

    @Test func anAddressThatNoProgramIsStartedWithIsNotOpened() {
        #expect(!LinkOpener.takes("https://" + String(repeating: "a", count: 1 << 18)))
    }

    @Test func theProgramGetsTheAddressAsOneWordAndSaysWhetherItOpenedIt() throws {
        let folder = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(folder) }
        let (program, reported) = (folder + "/open", folder + "/reported")
        let script = try #require(fopen(program, "w"))
        fputs("#!/bin/sh\nprintf '%s:%s' $# \"$1\" >'\(reported)'\ncase $1 in *no*) exit 3;; esac\n", script)
        fclose(script)
        chmod(program, 0o700)
        let address = "https://example.org/$(touch%20x);a&b"
        #expect(LinkOpener.open(address, by: program))
        #expect(try TextFiles.read(reported) == "1:\(address)")
        #expect(!LinkOpener.open("https://no", by: program))
        #expect(!LinkOpener.open("https://a", by: folder + "/missing"))
    }
}
