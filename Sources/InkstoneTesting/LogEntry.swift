import FoundationEssentials

/// An entry of a log that has a JSON object in each line, as the scripted server and the editor's `--trace` write
/// it.
public struct LogEntry: Sendable, CustomStringConvertible {
    /// A JSON value in an entry.
    public indirect enum Value: Hashable, Sendable, Decodable {
        /// The value `null`.
        case null
        /// The value `true` or `false`.
        case bool(Bool)
        /// A number.
        case number(Double)
        /// A string.
        case string(String)
        /// An array.
        case array([Value])
        /// An object.
        case object([String: Value])

        /// Creates a value by decoding any JSON value.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(Double.self) {
                self = .number(value)
            } else if let value = try? container.decode(String.self) {
                self = .string(value)
            } else if let value = try? container.decode([Value].self) {
                self = .array(value)
            } else {
                self = .object(try container.decode([String: Value].self))
            }
        }

        /// The string, or nil for another kind of value.
        public var text: String? { if case .string(let value) = self { value } else { nil } }
        /// The number, or nil for another kind of value.
        public var number: Double? { if case .number(let value) = self { value } else { nil } }
        /// The number as an integer, or nil for another value.
        public var integer: Int? { number.flatMap { Int(exactly: $0) } }
        /// The Boolean, or nil for another kind of value.
        public var flag: Bool? { if case .bool(let value) = self { value } else { nil } }
        /// The items of an array; empty for another kind of value.
        public var items: [Value] { if case .array(let value) = self { value } else { [] } }
        /// The member of an object by name; nil if there is none.
        public subscript(name: String) -> Value? {
            if case .object(let members) = self { members[name] } else { nil }
        }
    }

    /// The line of the log.
    public let line: String
    /// The JSON object in the line.
    public let value: Value

    /// Creates an entry by parsing a line; nil if the line is not a JSON object.
    public init?(line: some StringProtocol) {
        self.line = String(line)
        guard let value = try? JSONDecoder().decode(Value.self, from: Data(self.line.utf8)), case .object = value else {
            return nil
        }
        self.value = value
    }

    /// The member of the object called `name`; nil if there is none.
    public subscript(name: String) -> Value? { value[name] }

    /// The time of the entry, in milliseconds of the writer's clock; 0 if the entry has none.
    public var time: Double { self["t"]?.number ?? 0 }

    /// The line of the log.
    public var description: String { line }
}
