/// The limit of a window's memory for undo. All windows of the program share a total.
enum UndoShare {
    /// The total of all windows, in bytes. A Replace All takes about a hundred bytes for each match: a later edit
    /// should not drop that step from the history even if there were two million matches.
    static let whole = 256 << 20
    /// The memory that each window may use, however much the other windows use, in bytes.
    static let least = 16 << 20

    /// Returns the limit of a window, in bytes; `others` are the bytes that the other windows use.
    static func limit(besides others: some Sequence<Int>) -> Int { max(least, whole - others.reduce(0, +)) }
}
