import InkstoneBase

/// What a turn of the thread has to say, in the order in which the server did.
struct InputMethodOutputs {
    private(set) var all: [InputMethodOutput] = []
    /// The sum of the outputs' weights.
    private(set) var weight = 0

    mutating func append(_ output: InputMethodOutput) {
        all.append(output)
        weight += output.weight
    }

    /// Takes all, to be handed over.
    mutating func take() -> [InputMethodOutput] {
        defer { (all, weight) = ([], 0) }
        return all
    }
}
