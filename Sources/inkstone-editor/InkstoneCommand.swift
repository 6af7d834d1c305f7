import ArgumentParser
import Inkstone

/// The command line: `inkstone layout …` or `inkstone …`. A file named “layout” is edited as `./layout`.
@main
enum InkstoneCommand {
    static func main() {
        CharacterLocale.prepare()
        FontDescriptor.prepareSystemFonts()
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "layout" {
            LayoutCommandLine.main(Array(arguments.dropFirst()))
        } else {
            EditCommandLine.main(Array(arguments))
        }
    }
}

/// The version of editor and package.
enum EditorVersion {
    static let current = "0.1.0"
}
