import InkstoneText
import Synchronization

/// What commands cut off and ``EditCommand/yank`` brings back: the kill buffer of Apple's text system and of Emacs.
///
/// Commands that follow each other directly gather what they cut off, each at the side on which it stood. Text views share
/// ``shared``, so that what one cuts off another yanks. It holds one text and may be used from any thread.
public final class KillBuffer: Sendable {
    /// On which side of the caret something stood.
    public enum Side: Hashable, Sendable {
        /// Before it.
        case backward
        /// After it.
        case forward
    }

    /// Names what the buffer held at a time.
    public struct Entry: Hashable, Sendable {
        fileprivate var number: UInt64
    }

    private struct State {
        var contents = CopiedText("")
        var entry = Entry(number: 0)
    }

    /// The buffer of all text views of the program.
    public static let shared = KillBuffer()

    private let state = Mutex(State())

    /// An empty buffer.
    public init() {}

    /// What would be yanked; empty if nothing has been cut off.
    public var contents: CopiedText { state.withLock { $0.contents } }

    /// The text of ``contents``.
    public var text: String { contents.text }

    /// Whether there is nothing to yank.
    public var isEmpty: Bool { contents.content.rope.isEmpty }

    /// Keeps what a command cut off, and says what the buffer holds since.
    ///
    /// - Parameters:
    ///   - side: where the text stood.
    ///   - entry: what the command just before made of the buffer; if it still holds that, the text is added to it at that
    ///     side, else it takes the place of all. Nil if there was no such command.
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
