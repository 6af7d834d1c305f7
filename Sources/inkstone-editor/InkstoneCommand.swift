import ArgumentParser
import Glibc
import Inkstone

/// The command line: `inkstone layout …`, `print …`, `recover …`, `proxy …` or `inkstone …`. Files of these names are edited as `./layout` and
/// so on.
@main
enum InkstoneCommand {
    static func main() {
        StandardDescriptors.prepare()
        FontDescriptor.tolerateTruncatedFiles()
        // Fonts take longest, so their thread comes first; it asks nothing of the character locale but what is set by then.
        setlocale(LC_CTYPE, "")
        let arguments = CommandWords.all
        if arguments.first == "recover" { return RecoverCommandLine.main(Array(arguments.dropFirst())) }
        if arguments.first == "proxy" { return ProxyCommandLine.main(Array(arguments.dropFirst())) }
        let command = arguments.first
        let edits = command != "layout" && command != "print"
        FontDescriptor.prepareSystemFonts(rememberedIn: edits ? UserDirectory.cache.file("fonts") : nil)
        CharacterLocale.prepare()
        if command == "layout" {
            LayoutCommandLine.main(Array(arguments.dropFirst()))
        } else if command == "print" {
            PrintCommandLine.main(Array(arguments.dropFirst()))
        } else if let options = EditOptions(plain: arguments) {
            do { try EditCommandLine.run(options) } catch { EditCommandLine.exit(withError: error) }
        } else {
            EditCommandLine.main(arguments)
        }
    }
}

/// The version of editor and package.
enum EditorVersion {
    static let current = "0.1.0"
}
