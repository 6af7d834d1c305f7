/// A queue of elements with weights. If an element has the same key as a queued one, the queued one is removed, and
/// the new one is appended at the end, so it does not overtake other elements.
struct BusQueue<Element, Key: Hashable> {
    /// The queued elements in order; an element is nil if it was removed.
    private var entries: [(element: Element?, weight: Int, key: Key?)] = []
    /// The index of the first entry that was not yet taken.
    private var first = 0
    /// The number of entries that were taken or removed and are still in ``entries``.
    private var gone = 0
    /// The indices in ``entries`` of the queued elements with keys.
    private var places: [Key: Int] = [:]
    /// The total weight of the queued elements.
    private(set) var weight = 0

    /// Appends an element. Returns false, and changes nothing, if the total weight would exceed `limit`. Amortised
    /// O(1).
    ///
    /// - Parameter key: the name of the state that the element reports; nil for none.
    mutating func append(_ element: Element, weight: Int, key: Key? = nil, limit: Int) -> Bool {
        let old = key.flatMap { places[$0] }
        guard limit == .max || self.weight - (old.map { entries[$0].weight } ?? 0) + weight <= limit else {
            return false
        }
        if let old { remove(old) }
        if let key { places[key] = entries.count }
        entries.append((element, weight, key))
        self.weight += weight
        compact()
        return true
    }

    /// Removes and returns the oldest element and its weight; nil if the queue is empty. Amortised O(1).
    mutating func take() -> (element: Element, weight: Int)? {
        while first < entries.count {
            let (element, weight, _) = entries[first]
            if element != nil { remove(first) }
            first += 1
            guard let element else { continue }
            compact()
            return (element, weight)
        }
        return nil
    }

    /// Removes the elements for which `condition` holds. O(n).
    mutating func removeAll(where condition: (Element) -> Bool) {
        for index in first..<entries.count {
            if let element = entries[index].element, condition(element) { remove(index) }
        }
        compact()
    }

    private mutating func remove(_ index: Int) {
        if let key = entries[index].key { places[key] = nil }
        weight -= entries[index].weight
        entries[index] = (nil, 0, nil)
        gone += 1
    }

    /// Drops the removed entries once they are all, or more than half of all and more than 64.
    private mutating func compact() {
        guard gone == entries.count || gone > max(64, entries.count / 2) else { return }
        entries.removeAll { $0.element == nil }
        (first, gone) = (0, 0)
        for (index, entry) in entries.enumerated() { if let key = entry.key { places[key] = index } }
    }
}
