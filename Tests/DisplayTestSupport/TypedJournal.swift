import InkstoneBase
import InkstoneFiles
import InkstoneTesting
import InkstoneText

/// Questions about the journal of an editor that runs.
package enum TypedJournal {
    /// Whether the journal at a path has an edit that ends in a character, and with it all edits before it. Records of other kinds, such as
    /// the copy of the file, may stand behind that edit.
    package static func ends(in character: Character, at path: String) -> Bool {
        guard path.hasSuffix(".journal"),
            let document = RecoveredDocument.read(FilePath(path), removingEmpty: false, readingInUse: true)
        else { return false }
        return document.pieces.contains { $0.string(in: $0.byteRange).last == character }
    }

    /// Whether the journal at a path has a copy of its file, of which it is known what it holds.
    package static func hasCopy(of text: String, at path: String) -> Bool {
        (try? TextFiles.read(path))?.contains(text) == true
    }
}
