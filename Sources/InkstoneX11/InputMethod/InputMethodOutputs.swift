import InkstoneBase

/// The outputs of one turn of the input method's thread, in the order in which the server sent them.
struct InputMethodOutputs {
    private(set) var all: [InputMethodOutput] = []
    /// The approximate size of all outputs in bytes.
    private(set) var weight = 0

    mutating func append(_ output: InputMethodOutput) {
        all.append(output)
        weight += output.weight
    }

    /// Removes and returns all outputs.
    mutating func take() -> [InputMethodOutput] {
        defer { (all, weight) = ([], 0) }
        return all
    }
}
