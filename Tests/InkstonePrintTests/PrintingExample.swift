import InkstoneBase
import InkstoneLayout
import InkstonePrint
import InkstoneText

/// Prints a text on A4, with its name above each page.
func printPages(
    of text: StyledText, named name: String, to path: FilePath, isWanted: () -> Bool
) throws(PrintError) -> Int {
    var setup = PageSetup()
    setup.margins = PageMargins(all: 50)
    (setup.header, setup.title) = (name, name)
    setup.numbersLines = true
    let printer = PagePrinter(text, font: FontDescriptor(family: "DejaVu Serif", size: 15), setup: setup)
    return try printer.print(to: path) { progress in isWanted() && progress.pages < 1000 }
}
