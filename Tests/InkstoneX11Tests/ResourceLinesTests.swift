import Testing

@testable import InkstoneX11

/// The lines of a resource database that Xlib is given to parse.
@Suite(.timeLimit(.minutes(5))) struct ResourceLinesTests {
    private func reduced(_ text: String, keepingOthers: Bool = false) -> String {
        var bytes = text.utf8CString
        bytes.withUnsafeMutableBufferPointer { buffer in
            if let base = buffer.baseAddress { DesktopSettings.reduce(base, keepingOthers: keepingOthers) }
        }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    @Test func linesThatSetWhatIsAskedForStay() {
        let asked = """
            Xft.dpi:\t144
              Xft*rgba : none
            *dpi: 96
            ?.antialias: 1
            Xcursor.theme:
            *multiClickTime: 300
            Inkstone.MultiClickTime: 300

            """
        #expect(reduced(asked) == asked)
        #expect(reduced("Xft.dpi: 96") == "Xft.dpi: 96")
        #expect(reduced("") == "")
    }

    @Test func unusedResourceLinesAreRemoved() {
        #expect(
            reduced(
                """
                ! Xft.dpi: 1
                #include "file"
                  #include "file"
                Xft.dpi.dpi: 1
                emacs.dpi: 1
                Xft.other: 1
                Xft.dpi 1
                dpi.Xft: 1
                :
                xterm.translations: #override \\n\\
                Xft.dpi: 2
                  #include "file"
                Xft.rgba: rgb
                """) == "Xft.rgba: rgb")
        // A comment does not go on, and a value does not take the next line in.
        #expect(reduced("! note \\\nXft.dpi: 96\\\nxterm.a: 1\nXft.rgba: rgb\n") == "Xft.dpi: 96 \nXft.rgba: rgb\n")
    }

    @Test func ofAHostsOnlyThoseThatNameFilesAreMadeComments() {
        let text = "app.font: a\\\n b\n \t# include \"file\"\n#in\n#include \"file\"\nXft.dpi: 9\\\n6"
        #expect(
            reduced(text, keepingOthers: true)
                == "app.font: a\\\n b\n \t! include \"file\"\n#in\n!include \"file\"\nXft.dpi: 9\\\n6")
    }

    @Test func linesBeyondAMegabyteAreLeftOut() {
        let line = "Xft.dpi: 96\n"
        let text = String(repeating: line, count: 100_000)
        #expect(reduced(text).utf8.count == (1 << 20) / line.utf8.count * line.utf8.count)
    }
}
