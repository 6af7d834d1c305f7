import InkstoneBase

/// What a turn of the thread has to say, in the order in which the server did.
///
/// During a call Xlib runs a preedit's callbacks at once and leaves commits and keys in its queue: each output of a call carries its
/// number in the server's order. Trap “commits overtaken”.
struct InputMethodOutputs {
    private(set) var all: [InputMethodOutput] = []
    /// The sum of the outputs' weights.
    private(set) var weight = 0
    /// During a call, the number of each of its outputs.
    private var sequences: [Int]?
    private var start = 0

    mutating func append(_ output: InputMethodOutput) {
        all.append(output)
        weight += output.weight
    }

    /// A call begins.
    mutating func beginCall() {
        start = all.count
        sequences = []
    }

    /// All outputs since `count` were of one message, with this number.
    mutating func number(since count: Int, _ sequence: Int) {
        sequences?.append(contentsOf: repeatElement(sequence, count: all.count - count))
    }

    /// The call is over.
    mutating func endCall() {
        guard let sequences else { return }
        self.sequences = nil
        guard sequences.count == all.count - start, zip(sequences, sequences.dropFirst()).contains(where: >) else {
            return
        }
        let order = sequences.indices.sorted { (sequences[$0], $0) < (sequences[$1], $1) }
        all.replaceSubrange(start..., with: order.map { all[start + $0] })
    }

    /// Takes all, to be handed over.
    mutating func take() -> [InputMethodOutput] {
        defer { (all, weight) = ([], 0) }
        return all
    }
}
