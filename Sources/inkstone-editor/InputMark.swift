/// A position in the sequence of a user's input to a window. A request that is answered later keeps the mark of the
/// time when it was made: if the window has another mark by then, the user has continued with something else.
struct InputMark: Hashable {
    private var count = 0

    /// Records a key, typed text, or the opening of a field for typing.
    mutating func advance() { count += 1 }
}
