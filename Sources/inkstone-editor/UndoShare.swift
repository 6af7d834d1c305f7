/// The limit of a window's memory for undo. All windows of the program share a total.
enum UndoShare {
    /// The total memory for undo of all windows, in bytes. A Replace All takes about 100 bytes for each match; the
    /// undo step of two million matches should still fit.
    static let whole = 256 << 20
    /// The memory for undo that each window may use, however much the other windows use, in bytes.
    static let least = 16 << 20

    /// Returns the limit of a window's memory for undo, in bytes; `others` are the bytes that the other windows use.
    static func limit(besides others: some Sequence<Int>) -> Int { max(least, whole - others.reduce(0, +)) }
}
