import InkstoneText
import Synchronization

/// A buffer of deleted text that ``EditCommand/yank`` inserts again: the kill buffer of Apple's text system and of
/// Emacs.
///
/// Consecutive kills join their texts: text killed before the caret is added at the start of the buffer's text,
/// text killed after the caret at its end. Text views share ``shared``, so that one can yank what another has
/// killed. The buffer contains one text, and may be used from any thread.
public final class KillBuffer: Sendable {
    /// The side of the caret on which a killed text was.
    public enum Side: Hashable, Sendable {
        /// Before the caret.
        case backward
        /// After the caret.
        case forward
    }

    /// An identifier of the contents of the buffer, which changes with each kill.
    public struct Entry: Hashable, Sendable {
        fileprivate var number: UInt64
    }

    private struct State {
        var contents = CopiedText("")
        var entry = Entry(number: 0)
    }

    /// The buffer that the text views of the program share.
    public static let shared = KillBuffer()

    private let state = Mutex(State())

    /// Creates an empty buffer.
    public init() {}

    /// The text to be yanked; empty if none was killed.
    public var contents: CopiedText { state.withLock { $0.contents } }

    /// The text of ``contents`` as a string.
    public var text: String { contents.text }

    /// Whether the buffer has no text to yank.
    public var isEmpty: Bool { contents.content.rope.isEmpty }

    /// Stores killed text, and returns the identifier of the new contents.
    ///
    /// - Parameters:
    ///   - side: the side of the caret on which the text was.
    ///   - entry: the identifier of the contents after the command just before, if that was a kill; nil otherwise.
    ///     If the buffer still has these contents, the text is added to them; otherwise it replaces them.
    @discardableResult
    public func keep(_ new: CopiedText, from side: Side = .forward, continuing entry: Entry? = nil) -> Entry {
        state.withLock { state in
            if entry == state.entry {
                var (first, last) = (state.contents, new)
                if side == .backward { swap(&first, &last) }
                var joined = first.content
                joined.append(last.content)
                state.contents = CopiedText(joined, isStyled: first.isStyled || last.isStyled)
                if first.source == last.source { state.contents.source = first.source }
            } else {
                state.contents = new
            }
            state.entry.number += 1
            return state.entry
        }
    }
}
