import InkstoneUnicode

extension TextLayoutManager {
    /// Text with a bullet for each grapheme cluster: as long in UTF-16 units, with the same clusters, and the same for all
    /// texts of these lengths. Tabs are bullets too.
    func masked(_ units: [UInt16]) -> [UInt16] {
        tools.graphemes.setText(units)
        // A combining grapheme joiner shows nothing and belongs to the cluster before it.
        var result = [UInt16](repeating: 0x034f, count: units.count)
        var at: Int? = 0
        while let start = at, start < units.count {
            result[start] = 0x2022
            at = tools.graphemes.following(start)
        }
        return result
    }
}
