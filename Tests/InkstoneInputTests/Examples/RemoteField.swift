import InkstoneBase
import InkstoneInput
import InkstoneTesting

/// The field whose text an actor keeps: any that draws itself.
typealias MyField = ReferenceTextView

actor RemoteDocument {
    private(set) var text = ""

    func handle(_ entry: KeyEntry) -> Bool {
        guard entry.state == .down, !entry.key.characters.isEmpty else { return false }
        text += entry.key.characters
        return true
    }
}

final class RemoteField: MyField, AsyncTextInput {
    weak var asyncInputDelegate: (any AsyncTextInputDelegate)?
    let document = RemoteDocument()
    var keyEntryHandler: (@Sendable (KeyEntry) async throws -> Bool)? {
        { [document] entry in await document.handle(entry) }
    }
}
