import FoundationEssentials

/// One line of a log of JSON objects, as the scripted server and the editor's `--trace` write them.
public struct LogEntry: Sendable, CustomStringConvertible {
    /// A value in such a line.
    public indirect enum Value: Hashable, Sendable, Decodable {
        /// `null`.
        case null
        /// `true` or `false`.
        case bool(Bool)
        /// A number.
        case number(Double)
        /// A string.
        case string(String)
        /// An array.
        case array([Value])
        /// An object.
        case object([String: Value])

        /// Decodes whatever is there.
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

        /// The string, if it is one.
        public var text: String? { if case .string(let value) = self { value } else { nil } }
        /// The number, if it is one.
        public var number: Double? { if case .number(let value) = self { value } else { nil } }
        /// The number as an integer, if it is one.
        public var integer: Int? { number.flatMap { Int(exactly: $0) } }
        /// The truth value, if it is one.
        public var flag: Bool? { if case .bool(let value) = self { value } else { nil } }
        /// The items, if it is an array; empty otherwise.
        public var items: [Value] { if case .array(let value) = self { value } else { [] } }
        /// A member, if it is an object that has one of this name.
        public subscript(name: String) -> Value? {
            if case .object(let members) = self { members[name] } else { nil }
        }
    }

    /// The line as it stands in the log.
    public let line: String
    /// The object.
    public let value: Value

    /// Reads one line; nil if it is not a JSON object.
    public init?(line: some StringProtocol) {
        self.line = String(line)
        guard let value = try? JSONDecoder().decode(Value.self, from: Data(self.line.utf8)), case .object = value else {
            return nil
        }
        self.value = value
    }

    /// A member of the object; nil if there is none.
    public subscript(name: String) -> Value? { value[name] }

    /// When it was written, in milliseconds of the writer's clock; 0 if it does not say.
    public var time: Double { self["t"]?.number ?? 0 }

    /// The line.
    public var description: String { line }
}
