/// A queue of weighed elements. One of newer state removes the older that waits and goes to the end: so it overtakes nothing.
struct BusQueue<Element, Key: Hashable> {
    /// In order; nil where one is gone.
    private var entries: [(element: Element?, weight: Int, key: Key?)] = []
    /// The entries before this one are gone.
    private var first = 0
    private var gone = 0
    private var places: [Key: Int] = [:]
    /// The weight of what waits.
    private(set) var weight = 0

    /// Appends an element; false, and nothing has changed, if there would be more than `limit`. Amortised O(1).
    ///
    /// - Parameter key: the name of the state that the element is; nil for none.
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

    /// Takes the oldest element with its weight; nil for none. Amortised O(1).
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

    /// Closes the gaps once they are most of it.
    private mutating func compact() {
        guard gone == entries.count || gone > max(64, entries.count / 2) else { return }
        entries.removeAll { $0.element == nil }
        (first, gone) = (0, 0)
        for (index, entry) in entries.enumerated() { if let key = entry.key { places[key] = index } }
    }
}
