/// The share of a window in the memory for undo, which all windows of the program have together.
enum UndoShare {
    /// The memory of all windows, in bytes. A replacement takes about a hundred bytes for each match: what is typed behind two millions of them must
    /// not push the step out.
    static let whole = 256 << 20
    /// The memory that a window has in any case, however much the others use, in bytes.
    static let least = 16 << 20

    /// Returns the limit of a window besides others that use so many bytes.
    static func limit(besides others: some Sequence<Int>) -> Int { max(least, whole - others.reduce(0, +)) }
}
