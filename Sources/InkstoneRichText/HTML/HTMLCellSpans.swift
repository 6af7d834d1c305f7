/// The columns of a table's rows over which cells extend (`colspan`, `rowspan`).
struct HTMLCellSpans {
    /// The maximum number of columns of a row, which is HTML's limit of `colspan`.
    private static let mostColumns = 1000
    /// The maximum number of columns and empty cells that spans add to a document. Further spans are ignored, so that a
    /// short document cannot make a very long text.
    private static let most = 20_000

    /// The number of rows, from the present one on, over which a cell of an earlier row extends, by column.
    private var below: [Int: Int] = [:]
    /// The number of rows below the present one over which a cell of the present row extends, by column.
    private var own: [Int: Int] = [:]
    /// The column after the first column of the last cell, and the number of columns of that cell beyond its first.
    private var (column, extra) = (0, 0)
    private var used = 0

    mutating func beginRow() {
        below = below.compactMapValues { $0 > 1 ? $0 - 1 : nil }.merging(own) { $1 }
        (own, column, extra) = ([:], 0, 0)
    }

    /// Ends a group of rows, over whose end no cell extends.
    mutating func endGroup() { (below, own, column, extra) = ([:], [:], 0, 0) }

    /// Begins a cell that extends over some columns and rows. Returns the number of empty cells to write before it: one
    /// for each further column of the cell before it, and for each column that a cell of an earlier row covers.
    mutating func beginCell(columns: Int, rows: Int) -> Int {
        var empty = extra
        column += extra
        while below[column] != nil, used + empty < Self.most {
            column += 1
            empty += 1
        }
        let room = max(1, min(columns, Self.mostColumns - column, Self.most - used))
        // The value 0 stands for all further rows of the group.
        let further = rows == 0 ? Self.most : min(rows, Self.most) - 1
        if further > 0, used < Self.most, column < Self.mostColumns {
            for covered in column..<column + room { own[covered] = further }
            used += room
        }
        used += room - 1 + empty
        column += 1
        extra = room - 1
        return empty
    }
}
