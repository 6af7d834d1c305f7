import InkstoneBase

/// Layout beside exclusion paths. The paths keep their position when text above changes, so text beside them is
/// laid out from the top down.
extension DocumentLayout {
    /// Lays out all text down to the lowest exclusion path. O(log n) once this text is laid out.
    func layOutBesideExclusions() {
        guard let exclusions else { return }
        while let unit = tree.firstGap(), top(of: tree.fragment(at: unit).before) < exclusions.bottom {
            _ = placed(at: unit)
        }
    }

    /// Lays out anew the text that an edit moved along an exclusion path, and adds the effect to the edit's
    /// `change`. `unit` is the start of the text below the edit; `oldBottom` is that text's y before the edit, in
    /// pixels of the document.
    func relayOutBesideExclusions(below unit: Int, oldBottom: Double, _ change: inout LayoutChange) {
        guard let exclusions, min(oldBottom, oldBottom + change.heightDelta) < exclusions.bottom else { return }
        let oldHeight = height
        var from = unit
        let reach = exclusions.bottom + max(0, change.heightDelta)
        // The new lines may be shorter and so move further text up beside the paths: repeat until nothing moves.
        while change.heightDelta != 0, from < tree.total.units {
            let first = tree.fragment(at: from).before
            if top(of: first) >= reach { break }
            let (last, before) = tree.fragment(atY: reach, estimate)
            let end = before.units + last.units
            let gap = Fragment(
                gap: end - first.units, paragraphs: before.paragraphs + last.paragraphs - first.paragraphs)
            tree.replace(first.units..<end, with: [gap])
            change.band.size = Size(width: Self.endless, height: Self.endless)
            layOutBesideExclusions()
            from = end
        }
        layOutBesideExclusions()
        change.heightDelta += height - oldHeight
    }

    /// Returns the line nearest to x among those that exclusion paths place side by side at the height of `line`.
    func sibling(of line: PlacedLine, at x: Double) -> PlacedLine {
        let lines = line.placed.fragment.lines
        func distance(_ i: Int) -> Double {
            let low = Double(lines[i].roomX)
            let high = low + Double(lines[i].room)
            return x < low ? low - x : max(0, x - high)
        }
        var best = line
        for i in lines.indices where lines[i].y == lines[line.index].y && distance(i) < distance(best.index) {
            best.index = i
        }
        return best
    }
}
