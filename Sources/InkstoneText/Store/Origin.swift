/// The source of a change of a text: the kind of the user's action, or the code that makes the change. A name in a
/// hierarchy, from the general to the particular.
///
/// `input.type.compose` is within `input.type` and within `input`, as ``isWithin(_:)`` tests. All changes that the
/// user does not make are within `program`. Programs may add names, such as `input.complete`, which code that tests
/// for `input` then includes.
public struct Origin: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    private let name: StaticString

    /// Creates a source by its name: parts separated by full stops.
    public init(stringLiteral name: StaticString) { self.name = name }

    /// All text that the user enters.
    public static var input: Origin { "input" }
    /// Text typed by keys, and other text that an input system inserts.
    public static var typing: Origin { "input.type" }
    /// A newline typed by a key.
    public static var newline: Origin { "input.type.newline" }
    /// An input method's preedit, or the text that it commits.
    public static var inputMethod: Origin { "input.type.compose" }
    /// Edits by a keyboard in another process.
    public static var proxy: Origin { "input.type.proxy" }
    /// Commands that rewrite text in its place, such as changes of case and indentation.
    public static var rewriting: Origin { "input.rewrite" }
    /// Commands that indent paragraphs more or less.
    public static var indentation: Origin { "input.rewrite.indent" }
    /// Commands that reorder, join or split lines. Their text was in the document before, so filters
    /// of input let it pass.
    public static var reordering: Origin { "reorder" }
    /// Text pasted from the clipboard.
    public static var paste: Origin { "input.paste" }
    /// A paste of the copied text without conversion: from the kill buffer or PRIMARY, or as plain text.
    public static var plainPaste: Origin { "input.paste.plain" }
    /// Text dropped at the end of a drag.
    public static var drop: Origin { "input.drop" }
    /// Deletions by the user.
    public static var deletion: Origin { "delete" }
    /// A deletion by the Backspace key.
    public static var deleteBackward: Origin { "delete.backward" }
    /// Attributes that the user adds or removes.
    public static var styling: Origin { "style" }
    /// Changes of the selection.
    public static var selection: Origin { "select" }
    /// Changes of the selection by an input system.
    public static var inputSelection: Origin { "select.input" }
    /// Undo and redo.
    public static var history: Origin { "history" }
    /// The undoing of a step.
    public static var undo: Origin { "history.undo" }
    /// The redoing of a step.
    public static var redo: Origin { "history.redo" }
    /// Changes by the program that the view is part of.
    public static var program: Origin { "program" }
    /// Text of a file that is still being read.
    public static var load: Origin { "program.load" }
    /// Edits restored from the journal of a process that did not save them.
    public static var recovery: Origin { "program.recovery" }
    /// Edits by another process that has the same text open.
    public static var otherProcess: Origin { "program.process" }
    /// Edits by a service that rewrites text.
    public static var writingTool: Origin { "program.tool" }

    /// Whether the origin is `part`, or lies below it in the hierarchy.
    public func isWithin(_ part: Origin) -> Bool {
        let (own, other) = (bytes, part.bytes)
        guard own.count >= other.count, own.prefix(other.count).elementsEqual(other) else { return false }
        return own.count == other.count || own[other.count] == UInt8(ascii: ".")
    }

    /// Whether the user makes the change. Restrictions on the user's edits then apply to it.
    public var isUser: Bool { !isWithin(.program) }

    /// Whether a view's input system makes the change in that view. The input system then needs no notification of
    /// the change.
    public var isFromInputSystem: Bool { isWithin(.typing) || self == .deleteBackward || self == .inputSelection }

    /// The full name, such as `input.type.compose`.
    public var description: String { name.description }

    /// Whether the names are the same.
    public static func == (a: Self, b: Self) -> Bool {
        let (a, b) = (a.bytes, b.bytes)
        return a.count == b.count && (a.baseAddress == b.baseAddress || a.elementsEqual(b))
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }

    private var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    }
}
