/// A queue to which elements can be added while its previous contents are processed. It alternates two arrays, so
/// that both keep their capacity.
struct CollectedWork<Element> {
    /// The collected elements, in the order in which they were added.
    var waiting: [Element] = []
    /// The array that is not in use, kept empty for its capacity.
    private var room: [Element] = []

    var isEmpty: Bool { waiting.isEmpty }

    mutating func append(_ element: Element) { waiting.append(element) }

    /// Removes and returns all elements; pass the array to ``reuse(_:)`` after processing it.
    mutating func take() -> [Element] {
        var taken: [Element] = []
        swap(&taken, &room)
        swap(&taken, &waiting)
        return taken
    }

    /// Stores the array that ``take()`` returned, emptied, so that its capacity is used again.
    mutating func reuse(_ done: consuming [Element]) {
        done.removeAll(keepingCapacity: true)
        room = done
    }
}
