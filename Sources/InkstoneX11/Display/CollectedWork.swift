/// What is collected while what was collected before is being done: two lists that take turns, so that both keep their room.
struct CollectedWork<Element> {
    /// What has been collected, in order.
    var waiting: [Element] = []
    /// Empty, with room that such work has had before.
    private var room: [Element] = []

    var isEmpty: Bool { waiting.isEmpty }

    mutating func append(_ element: Element) { waiting.append(element) }

    /// Takes all out, to be given back by ``reuse(_:)`` once it is done.
    mutating func take() -> [Element] {
        var taken: [Element] = []
        swap(&taken, &room)
        swap(&taken, &waiting)
        return taken
    }

    /// Keeps the room of a list that is done with.
    mutating func reuse(_ done: consuming [Element]) {
        done.removeAll(keepingCapacity: true)
        room = done
    }
}
