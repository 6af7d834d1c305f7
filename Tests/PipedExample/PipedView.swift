import Glibc
import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText

/// A view whose document lives in another process, behind two pipes: `Tests/Peers/document.py`.
///
/// What it shows is what the document has said last, and what an input method composes here and now. A key that types text goes to the
/// document, and is answered when that has; so nothing else happens to the text meanwhile. All other edits are made here at once and
/// sent behind.
package final class PipedView: ReferenceTextView, AsyncTextInput {
    package weak var asyncInputDelegate: (any AsyncTextInputDelegate)?
    private let document: ChildProcess
    private var lastNumber = 0
    private var unread = ""
    /// Entries that the document has not answered yet, by the number of their message.
    private var asked: [Int: KeyEntryCompletion] = [:]
    /// The text that the document has or will have, by what it was sent.
    private var known: [UInt16] = []
    /// The last text that the document has sent.
    package private(set) var documentText = ""

    /// A view of an empty document that takes from `delay.lowerBound` to `delay.upperBound` milliseconds for each edit.
    package init(delay: ClosedRange<Int>) throws {
        let program =
            #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
            + "/Peers/document.py"
        document = try ChildProcess(
            "python3", [program, "\(delay.lowerBound)", "\(delay.upperBound)"], environment: ["PATH": "/usr/bin:/bin"],
            input: .pipe, output: .pipe)
        super.init("", columns: 40)
        onTextChange = { [unowned self] _ in sendChanges() }
        if let output = document.output { _ = fcntl(output, F_SETFL, O_NONBLOCK) }
    }

    package func handleKeyEntry(_ entry: KeyEntry, completion: KeyEntryCompletion) {
        let text = entry.key.characters
        guard entry.state == .down, entry.key.modifiers.isDisjoint(with: .commanding), !text.isEmpty,
            let selection = content.selection
        else { return completion(false) }
        asked[send(text, over: selection)] = completion
    }

    /// Whether the document has answered all that it was sent.
    package private(set) var isIdle = true

    /// Readable when there is an answer to be read.
    package var descriptor: Int32 { document.output ?? -1 }

    /// Reads what the document has answered, if anything, waiting up to `milliseconds` for it.
    package func readAnswers(waiting milliseconds: Int32) {
        guard let output = document.output else { return }
        var descriptor = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, milliseconds) > 0 else { return }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(output, &bytes, bytes.count)
        guard count > 0 else { return }
        unread += String(decoding: bytes[..<count], as: UTF8.self)
        while let end = unread.firstIndex(of: "\n") {
            let line = unread[..<end].split(separator: " ", omittingEmptySubsequences: false)
            unread.removeSubrange(...end)
            if line.count == 2, let number = Int(line[0]) { answer(number, String(line[1])) }
        }
    }

    private func answer(_ number: Int, _ hex: String) {
        documentText = Self.text(hex)
        isIdle = number == lastNumber
        guard let completion = asked.removeValue(forKey: number), let selection = content.selection else { return }
        // The document has it, and so has the view.
        let typed = documentText.utf16.count - (content.length - selection.length())
        let start = documentText.utf16.index(documentText.utf16.startIndex, offsetBy: selection.lowerBound.value)
        content.session.insert(String(documentText.utf16[start...].prefix(typed)) ?? "")
        completion(true)
    }

    // MARK: Edits that are made here

    /// Sends the stretch by which the finished text differs from what the document was sent.
    private func sendChanges() {
        guard asked.isEmpty else { return }
        let after = Array(finished.utf16)
        guard after != known else { return }
        var start = 0
        while start < min(known.count, after.count), known[start] == after[start] { start += 1 }
        var end = 0
        while end < min(known.count, after.count) - start, known[known.count - 1 - end] == after[after.count - 1 - end]
        {
            end += 1
        }
        _ = send(
            String(decoding: after[start..<(after.count - end)], as: UTF16.self),
            over: UTF16Offset(start)..<UTF16Offset(known.count - end))
    }

    /// The text without what is being composed, which the document does not know.
    private var finished: String {
        guard let marked = content.marked else { return string }
        return content.string(in: 0..<marked.lowerBound)
            + content.string(in: marked.upperBound..<UTF16Offset(content.length))
    }

    private func send(_ text: String, over range: Range<UTF16Offset>) -> Int {
        lastNumber += 1
        isIdle = false
        known.replaceSubrange(range.lowerBound.value..<range.upperBound.value, with: text.utf16)
        let line = "\(lastNumber) \(range.lowerBound.value) \(range.upperBound.value) \(Self.hex(text))\n"
        if let input = document.input { _ = write(input, line, line.utf8.count) }
        return lastNumber
    }

    private static func hex(_ text: String) -> String {
        text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func text(_ hex: String) -> String {
        let digits = Array(hex)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt16(String(digits[$0...($0 + 1)]), radix: 16)
        }
        return String(
            decoding: stride(from: 0, to: bytes.count - 1, by: 2).map { bytes[$0] | bytes[$0 + 1] << 8 }, as: UTF16.self
        )
    }
}
