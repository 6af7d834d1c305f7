import InkstoneBus

/// A reference to an object on the accessibility bus, usable in every program on it.
public struct AccessibleReference: Hashable, Sendable {
    /// The name of the program's connection on the accessibility bus, such as `:1.42`.
    public let busName: String
    /// The path of the object in its program.
    public let path: String

    /// Creates a reference from a bus name and an object path; nil if one of them is not valid in D-Bus.
    public init?(busName: String, path: String) {
        guard BusName.isConnection(busName), BusName.isPath(path) else { return nil }
        (self.busName, self.path) = (busName, path)
    }
}
