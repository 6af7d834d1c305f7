import InkstoneBase
import InkstoneText

/// Keys with each of the rules that a key can have.
package enum TestKeys {
    /// No rules.
    package enum Weight: CodedAttributeKey {
        package typealias Value = Int
        package static let name = "test.weight"
    }

    /// Does not grow.
    package enum Link: CodedAttributeKey {
        package typealias Value = Int
        package static let name = "test.link"
        package static let inheritedByAddedText = false
    }

    /// A key removed when its text is edited; not encoded.
    package enum Spelling: AttributeKey {
        package typealias Value = Int
        package static let name = "test.spelling"
        package static let invalidationConditions: Set<AttributeInvalidationCondition> = [.textChanged]
    }

    /// A key removed when the weight changes.
    package enum Measure: AttributeKey {
        package typealias Value = Int
        package static let name = "test.measure"
        package static let invalidationConditions: Set<AttributeInvalidationCondition> = [
            .attributeChanged(Weight.self), .attributeChanged(Alignment.self), .attributeChanged(Spelling.self),
        ]
    }

    /// A key removed when the measure changes.
    package enum Note: AttributeKey {
        package typealias Value = Int
        package static let name = "test.note"
        package static let invalidationConditions: Set<AttributeInvalidationCondition> = [
            .attributeChanged(Measure.self)
        ]
    }

    /// A key with one value for a whole paragraph.
    package enum Alignment: CodedAttributeKey {
        package typealias Value = Int
        package static let name = "test.alignment"
        package static let runBoundaries: AttributeRunBoundaries? = .paragraph
    }

    /// A key that applies only to U+FFFC.
    package enum Image: CodedAttributeKey {
        package typealias Value = Int
        package static let name = "test.image"
        package static let runBoundaries: AttributeRunBoundaries? = .scalar("\u{fffc}")
    }

    package static let names = [
        Weight.name, Link.name, Spelling.name, Measure.name, Note.name, Alignment.name, Image.name,
    ]

    /// Attributes by the names of keys.
    package static func attributes(_ values: [String: Int]) -> TextAttributes {
        var result = TextAttributes()
        result[Weight.self] = values[Weight.name]
        result[Link.self] = values[Link.name]
        result[Spelling.self] = values[Spelling.name]
        result[Measure.self] = values[Measure.name]
        result[Note.self] = values[Note.name]
        result[Alignment.self] = values[Alignment.name]
        result[Image.self] = values[Image.name]
        return result
    }

    /// The values of attributes by the names of keys.
    package static func values(_ attributes: TextAttributes) -> [String: Int] {
        var result: [String: Int] = [:]
        result[Weight.name] = attributes[Weight.self]
        result[Link.name] = attributes[Link.self]
        result[Spelling.name] = attributes[Spelling.self]
        result[Measure.name] = attributes[Measure.self]
        result[Note.name] = attributes[Note.self]
        result[Alignment.name] = attributes[Alignment.self]
        result[Image.name] = attributes[Image.self]
        return result
    }
}

/// A model of styled text: scalars with their attributes, and an independent implementation of the rules, applied
/// to the whole text after each change. Only U+000A is a newline.
package struct StyledModel: Equatable {
    package struct Unit: Equatable {
        package var scalar: Unicode.Scalar
        package var values: [String: Int]
    }

    package var units: [Unit] = []

    package init() {}

    /// Creates the model of a styled text.
    package init(_ text: StyledText) {
        for run in text.attributes(in: text.rope.utf16Range) {
            let values = TestKeys.values(run.attributes)
            units += text.rope.string(in: run.range).unicodeScalars.map { Unit(scalar: $0, values: values) }
        }
    }

    package var string: String {
        var string = ""
        string.unicodeScalars += units.map(\.scalar)
        return string
    }

    /// The offset of a unit, in UTF-16 units.
    package func offset(_ index: Int) -> UTF16Offset {
        UTF16Offset(units[..<index].reduce(0) { $0 + UTF16.width($1.scalar) })
    }

    package func range(_ range: Range<Int>) -> Range<UTF16Offset> {
        offset(range.lowerBound)..<offset(range.upperBound)
    }

    /// Replaces units; `inserted` says what they get, nil for what they inherit.
    package mutating func replace(_ range: Range<Int>, with string: String, inserted: [String: Int]? = nil) {
        guard !range.isEmpty || !string.isEmpty else { return }
        var source: [String: Int] = [:]
        if !range.isEmpty {
            source = units[range.lowerBound].values
        } else if !units.isEmpty {
            let at = range.lowerBound
            let takesAfter = at == 0 || (units[at - 1].scalar == "\n" && at < units.count)
            source = units[takesAfter ? at : at - 1].values
        }
        source[TestKeys.Link.name] = nil
        source[TestKeys.Spelling.name] = nil
        invalidate(range)
        units.replaceSubrange(
            range, with: string.unicodeScalars.map { Unit(scalar: $0, values: inserted ?? source) })
        repair()
    }

    private mutating func invalidate(_ range: Range<Int>) {
        let name = TestKeys.Spelling.name
        func value(_ index: Int) -> Int? { units.indices.contains(index) ? units[index].values[name] : nil }
        var starts: [Int] = []
        if range.isEmpty {
            if let before = value(range.lowerBound - 1), before == value(range.lowerBound) {
                starts = [range.lowerBound]
            }
        } else {
            starts = [range.lowerBound, range.upperBound - 1]
        }
        var gone: Set<Int> = []
        for start in starts {
            guard let value = value(start) else { continue }
            for index in stride(from: start, through: 0, by: -1) {
                guard units[index].values[name] == value else { break }
                gone.insert(index)
            }
            for index in start..<units.count {
                guard units[index].values[name] == value else { break }
                gone.insert(index)
            }
        }
        for index in gone { set(nil, of: name, at: index) }
    }

    /// Sets one key of one unit, and takes away what depends on it, but for what is being set with it.
    private mutating func set(_ value: Int?, of name: String, at index: Int, with others: Set<String> = []) {
        guard units[index].values[name] != value else { return }
        units[index].values[name] = value
        let dependents = [
            TestKeys.Weight.name: [TestKeys.Measure.name], TestKeys.Alignment.name: [TestKeys.Measure.name],
            TestKeys.Spelling.name: [TestKeys.Measure.name], TestKeys.Measure.name: [TestKeys.Note.name],
        ]
        for dependent in dependents[name] ?? [] where !others.contains(dependent) {
            set(nil, of: dependent, at: index, with: others)
        }
    }

    package enum Style {
        case merge([String: Int])
        case set([String: Int])
        case remove(String)
    }

    package mutating func restyle(_ range: Range<Int>, _ style: Style) {
        guard !range.isEmpty else { return }
        var whole = range
        while whole.lowerBound > 0, units[whole.lowerBound - 1].scalar != "\n" {
            whole = whole.lowerBound - 1..<whole.upperBound
        }
        while whole.upperBound < units.count, units[whole.upperBound - 1].scalar != "\n" {
            whole = whole.lowerBound..<whole.upperBound + 1
        }
        let paragraphKey = TestKeys.Alignment.name
        for index in whole {
            let isInside = range.contains(index)
            switch style {
            case .merge(let values):
                for (name, value) in values where isInside || name == paragraphKey {
                    // Beside the range only the paragraph's key is being set.
                    set(value, of: name, at: index, with: isInside ? Set(values.keys) : [paragraphKey])
                }
            case .set(let values):
                if isInside {
                    units[index].values = values
                } else {
                    set(values[paragraphKey], of: paragraphKey, at: index)
                }
            case .remove(let name):
                if isInside || name == paragraphKey { set(nil, of: name, at: index) }
            }
        }
        repair()
    }

    private mutating func repair() {
        let key = TestKeys.Alignment.name
        for index in units.indices {
            if units[index].scalar != "\u{fffc}" { set(nil, of: TestKeys.Image.name, at: index) }
            if index > 0, units[index - 1].scalar != "\n" { set(units[index - 1].values[key], of: key, at: index) }
        }
    }

    /// Lines of runs, to be read where two differ.
    package var description: [String] {
        var lines: [String] = []
        var last: [String: Int]?
        for unit in units {
            let scalar = unit.scalar == "\n" ? "⏎" : String(unit.scalar)
            if unit.values == last {
                lines[lines.count - 1] += scalar
            } else {
                let values = unit.values.map { "\($0.key.dropFirst(5))=\($0.value)" }.sorted()
                lines.append("{\(values.joined(separator: " "))} \(scalar)")
            }
            last = unit.values
        }
        return lines
    }
}
