/// Where a change of a text comes from.
public enum Origin: Hashable, Sendable {
    /// Keys that type.
    case typing
    /// Backspace, Delete and other deletions by the user.
    case deletion
    /// The clipboard.
    case paste
    /// A drag that was dropped.
    case drop
    /// Attributes that the user gives or takes.
    case styling
    /// An input method's preedit or its result.
    case inputMethod
    /// A step taken back.
    case undo
    /// A step made again.
    case redo
    /// The program that the view is part of.
    case program
    /// A file that is still being read.
    case load
    /// A journal of what a process did not save.
    case recovery
    /// Another process that edits the same text.
    case otherProcess
    /// A service that rewrites text.
    case writingTool

    /// Whether it takes back or makes again what was changed before.
    package var isHistory: Bool { self == .undo || self == .redo }

    /// Whether the user does it, so that what limits the user applies.
    public var isUser: Bool {
        switch self {
        case .typing, .deletion, .paste, .drop, .styling, .inputMethod, .undo, .redo: true
        case .program, .load, .recovery, .otherProcess, .writingTool: false
        }
    }
}
