import CShaping
import InkstoneBase
import InkstoneUnicode

/// A part of a text that HarfBuzz can shape in one call: one style, level, script and font.
struct TextItem {
    var start: Int
    var end: Int
    var face: Int32
    var script: UInt32
    var level: UInt8
    var kind: ShapedText.Kind
    /// Index of the item's style in the paragraph's list of spans.
    var style: Int
}

/// The fonts and shaping options of a part of a paragraph.
struct StyleSpan {
    var range: Range<Int>
    var stack: FontStack
    /// Space after each grapheme cluster, 26.6 pixels.
    var spacing: Int32 = 0
    /// Distance of the span's baseline above the line's baseline, in pixels.
    var raise: Int16 = 0
    /// The attachment that the span's only unit stands for; nil for text.
    var attachment: AttachmentBox?
}

/// Splits a paragraph into items at changes of style, level, script, font and emoji presentation, but never within
/// a cluster.
struct Itemizer {
    /// The script Latin, as an ISO 15924 tag.
    static let latin: UInt32 = 0x4c61_746e

    private let text: UnsafeBufferPointer<UInt16>
    private let levels: [UInt8]
    private let baseLevel: UInt8
    private let styles: [StyleSpan]
    private let table: ScalarTable
    private var items: [TextItem] = []
    /// Index of the first of the items whose script is not determined yet. They get the script of the next letter that
    /// has one.
    private var undecided = 0
    private var script: UInt32 = 0
    private var openBrackets: [(closing: UInt32, script: UInt32)] = []

    /// Returns the items of a paragraph in logical order. O(n).
    static func items(
        of text: UnsafeBufferPointer<UInt16>, levels: [UInt8], baseLevel: UInt8, styles: [StyleSpan],
        table: ScalarTable
    ) -> [TextItem] {
        var itemizer = Itemizer(text: text, levels: levels, baseLevel: baseLevel, styles: styles, table: table)
        itemizer.run()
        return itemizer.items
    }

    private init(
        text: UnsafeBufferPointer<UInt16>, levels: [UInt8], baseLevel: UInt8, styles: [StyleSpan], table: ScalarTable
    ) {
        self.table = table
        self.text = text
        self.levels = levels
        self.baseLevel = baseLevel
        self.styles = styles
    }

    @inline(__always)
    private func scalar(at i: Int) -> (value: UInt32, length: Int) {
        let unit = text[i]
        if unit & 0xfc00 == 0xd800, i + 1 < text.count, text[i + 1] & 0xfc00 == 0xdc00 {
            return (0x10000 + (UInt32(unit & 0x3ff) << 10 | UInt32(text[i + 1] & 0x3ff)), 2)
        }
        return (UInt32(unit), 1)
    }

    private mutating func run() {
        var at = 0
        var cluster: [UInt32] = []
        for (style, span) in styles.enumerated() {
            let stack = span.stack
            let limit = style + 1 < styles.count ? span.range.upperBound : text.count
            while at < limit {
                let (base, length) = scalar(at: at)
                let next = at + length
                if base == 0xfffc, span.attachment != nil {
                    let level = levels.isEmpty ? baseLevel : levels[at]
                    append(at, next, Int32(stack.primary.slot), resolveScript(base), level, .attachment, style)
                    at = next
                    continue
                }
                if base >= 0x600, ScalarTable.isNumberSign(base), stack.slot(for: base, emoji: false) >= 0 {
                    at = addNumber(at, base, next, limit, stack, style)
                    continue
                }
                // Fast path, since most clusters are one scalar. The cluster ends if the next unit is below the
                // first combining mark, U+0300, or if the next scalar cannot continue a cluster.
                if next >= text.count || text[next] < 0x300 || !mayExtend(base, next) {
                    add(at, next, base, stack, style)
                    at = next
                } else {
                    let end = clusterEnd(from: at, into: &cluster)
                    addCluster(at, end, cluster, stack, style)
                    at = end
                }
            }
        }
        for i in undecided..<items.count where items[i].script == 0 { items[i].script = Self.latin }
    }

    /// Returns whether the scalar at a UTF-16 unit may belong to the cluster that `base` starts.
    @inline(__always)
    private func mayExtend(_ base: UInt32, _ unit: Int) -> Bool {
        let next = scalar(at: unit).value
        return table[next].isMark || next >= 0x1f1e6 && next <= 0x1f3ff
    }

    /// Returns the end of the cluster that starts at `start`: a base with marks, a joined emoji, a flag or a
    /// keycap. Such a cluster only keeps together what one font must show; the caret moves by the clusters of UAX
    /// #29.
    private func clusterEnd(from start: Int, into cluster: inout [UInt32]) -> Int {
        cluster.removeAll(keepingCapacity: true)
        let (base, length) = scalar(at: start)
        cluster.append(base)
        var at = start + length
        if base < 0x20 { return at }
        var flag = base >= 0x1f1e6 && base <= 0x1f1ff
        var joined = false
        // Of thousands of marks, only the first are put into `cluster`, because they suffice to choose the font.
        while at < text.count {
            if text[at] < 0x300 { break }
            let (next, length) = scalar(at: at)
            let extends: Bool
            if flag, next >= 0x1f1e6, next <= 0x1f1ff {
                extends = true
                flag = false
            } else if next == 0x200d || (0xfe00...0xfe0f).contains(next) || (0x1f3fb...0x1f3ff).contains(next)
                || (0xe0020...0xe007f).contains(next)
            {
                extends = true
            } else if joined {
                extends = table[next].emoji.contains(.emoji)
            } else if (0x2e80...0xa4cf).contains(next) || (0xac00...0xd7a3).contains(next) {
                extends = (0x302a...0x302f).contains(next) || next == 0x3099 || next == 0x309a
            } else {
                extends = !isControl(next) && table[next].isMark
            }
            if !extends { break }
            joined = next == 0x200d
            if cluster.count < 24 { cluster.append(next) }
            at += length
        }
        return at
    }

    /// Returns whether a scalar is a control that is a cluster of its own, such as a bidi control.
    private func isControl(_ scalar: UInt32) -> Bool {
        scalar == 0x61c || scalar == 0x200b || (0x200e...0x200f).contains(scalar) || (0x2028...0x202e).contains(scalar)
            || (0x2060...0x206f).contains(scalar) || scalar == 0xfeff
    }

    private func wantsColor(_ cluster: [UInt32]) -> Bool {
        let base = cluster[0]
        if base < 0xa9 { return cluster.count > 1 && cluster[1] == 0xfe0f }
        let properties = table[base].emoji
        guard properties.contains(.emoji) else { return false }
        if cluster.count > 1 {
            if cluster[1] == 0xfe0e { return false }
            if cluster[1] == 0xfe0f || (0x1f3fb...0x1f3ff).contains(cluster[1]) { return true }
        }
        return properties.contains(.presentation)
    }

    /// Adds a cluster that is a single scalar.
    private mutating func add(_ start: Int, _ end: Int, _ base: UInt32, _ stack: FontStack, _ style: Int) {
        let level = levels.isEmpty ? baseLevel : levels[start]
        if base == 0x09 {
            append(start, end, Int32(stack.primary.slot), Self.latin, level, .tab, style)
            return
        }
        // Add a space or invisible control to the item before it, which avoids needless items. Do not add a space
        // to an item in an emoji font, in which it would be as wide as an emoji.
        let isSpace = base == 0x20 || base == 0xa0
        if isSpace || isControl(base), let last = items.last, last.kind == .text, last.style == style,
            last.level == level, !(isSpace && stack.isColor(last.face))
        {
            items[items.count - 1].end = end
            return
        }
        let resolved = resolveScript(base)
        if base < 0x20 || base >= 0x7f && base < 0xa0 {
            append(start, end, Int32(stack.primary.slot), Self.latin, level, .missing, style)
        } else if isControl(base) {
            append(start, end, Int32(stack.primary.slot), resolved, level, .text, style)
        } else {
            let color = base >= 0x231a && table[base].emoji.contains(.presentation)
            let slot = stack.slot(for: base, emoji: color)
            append(
                start, end, slot < 0 ? Int32(stack.primary.slot) : slot, resolved, level, slot < 0 ? .missing : .text,
                style)
        }
    }

    private mutating func addCluster(_ start: Int, _ end: Int, _ cluster: [UInt32], _ stack: FontStack, _ style: Int) {
        guard cluster.count > 1 else { return add(start, end, cluster[0], stack, style) }
        let level = levels.isEmpty ? baseLevel : levels[start]
        let resolved = resolveScript(cluster[0])
        let slot = stack.slot(forCluster: cluster, emoji: wantsColor(cluster))
        if slot >= 0, !stack.covers(slot, cluster) { return addParts(start, end, slot, resolved, level, stack, style) }
        append(
            start, end, slot < 0 ? Int32(stack.primary.slot) : slot, resolved, level, slot < 0 ? .missing : .text, style
        )
    }

    /// Adds a number sign together with the digits after it that have the same bidi level. One font then shows all
    /// of them. Returns the end of the digits.
    private mutating func addNumber(
        _ start: Int, _ sign: UInt32, _ next: Int, _ limit: Int, _ stack: FontStack, _ style: Int
    ) -> Int {
        var (at, cluster) = (next, [sign])
        while at < limit, levels.isEmpty || levels[at] == levels[start] {
            let kind = BidiClasses.table[Int(text[at])]
            guard kind == BidiClasses.europeanNumber || kind == BidiClasses.arabicNumber,
                !ScalarTable.isNumberSign(UInt32(text[at]))
            else { break }
            if cluster.count < 24 { cluster.append(UInt32(text[at])) }
            at += 1
        }
        addCluster(start, at, cluster, stack, style)
        return at
    }

    /// Adds a cluster that no single font can show. Each scalar that the base's font lacks is shown in another
    /// font, and placed on the base as well as that is possible with two fonts.
    private mutating func addParts(
        _ start: Int, _ end: Int, _ face: Int32, _ script: UInt32, _ level: UInt8, _ stack: FontStack, _ style: Int
    ) {
        var at = start
        while at < end {
            let (scalar, length) = scalar(at: at)
            var own = face
            if !stack.covers(face, CollectionOfOne(scalar)) {
                let slot = stack.slot(for: scalar, emoji: table[scalar].emoji.contains(.presentation))
                if slot >= 0 { own = slot }
            }
            append(at, at + length, own, script, level, .text, style)
            at += length
        }
    }

    private mutating func append(
        _ start: Int, _ end: Int, _ face: Int32, _ script: UInt32, _ level: UInt8, _ kind: ShapedText.Kind, _ style: Int
    ) {
        if kind == .text, let last = items.last, last.kind == kind, last.end == start, last.face == face,
            last.script == script, last.level == level, last.style == style
        {
            items[items.count - 1].end = end
            return
        }
        items.append(
            TextItem(
                start: start, end: end, face: face, script: script, level: level, kind: kind, style: style))
    }

    /// Returns the script of a scalar. A common scalar inherits the script of the text before it; a closing bracket
    /// gets the script of its opening bracket (UAX #24, §5.1 and §5.2). 0 if no scalar so far had a script.
    private mutating func resolveScript(_ scalar: UInt32) -> UInt32 {
        if scalar < 0x80 {
            let letter = (scalar | 0x20) >= 0x61 && (scalar | 0x20) <= 0x7a
            if letter { return decide(Self.latin) }
            if scalar == 0x20 { return script }
        } else {
            let entry = table[scalar]
            if !entry.hasNoScript { return decide(entry.script) }
        }
        if table[scalar].isBracket {
            let pair = BidiProperties.pairedBracket(of: scalar)
            if BidiProperties.opensBracket(scalar) {
                if openBrackets.count < 64 { openBrackets.append((pair, script)) }
            } else if let match = openBrackets.lastIndex(where: { $0.closing == scalar }) {
                let opened = openBrackets[match].script
                openBrackets.removeSubrange(match...)
                if opened != 0 { script = opened }
            }
        }
        return script
    }

    private mutating func decide(_ found: UInt32) -> UInt32 {
        if script == 0 {
            for i in undecided..<items.count where items[i].script == 0 { items[i].script = found }
            undecided = items.count
            for i in openBrackets.indices where openBrackets[i].script == 0 { openBrackets[i].script = found }
        }
        script = found
        return found
    }
}
