import Inkstone

/// The symbols that have been put on key codes, each on a level of one: with Shift or without. Knows no server.
struct KeyLoans {
    /// A key code's level that means a symbol.
    struct Place: Hashable {
        var keycode: UInt8
        var needsShift: Bool
    }

    private var places: [Keysym: Place] = [:]
    /// All symbols that are lent, the one that was struck the longest time ago first.
    private var age: [Keysym] = []
    /// The symbols of those that have been struck.
    private var struck: Set<Keysym> = []

    /// The levels of all key codes that are lent. A second level without a symbol of its own means the same as the first: whoever holds
    /// Shift gets no other letter.
    var keys: [UInt8: [Keysym]] {
        var keys: [UInt8: [Keysym]] = [:]
        for (keysym, place) in places where !place.needsShift { keys[place.keycode] = [keysym] }
        for (keysym, place) in places where place.needsShift { keys[place.keycode, default: [0]].append(keysym) }
        return keys
    }

    func place(of keysym: Keysym) -> Place? { places[keysym] }

    /// Notes that a symbol is struck, so that its key code keeps it for longer than others keep theirs.
    mutating func strike(_ keysym: Keysym) {
        guard let index = age.firstIndex(of: keysym) else { return }
        age.append(age.remove(at: index))
        struck.insert(keysym)
    }

    /// Finds a place for a symbol, and as far as there is room for those that are likely to follow. A place that means something already is
    /// taken from the symbol that was struck the longest time ago, and only if none is free: a program that reads the map late takes the
    /// new symbol for the old one. Only the symbol that is struck next takes the place of one that has been struck.
    ///
    /// - Parameters:
    ///   - wanted: the symbol that is struck next, and behind it the others. None of these loses its place to another.
    ///   - keycodes: the codes that may be used, those that are lent among them.
    mutating func take(_ wanted: [Keysym], on keycodes: [UInt8]) {
        for (keysym, place) in places where !keycodes.contains(place.keycode) { remove(keysym) }
        let taken = Set(places.values)
        var free = [false, true].flatMap { level in keycodes.map { Place(keycode: $0, needsShift: level) } }
            .filter { !taken.contains($0) }[...]
        var old = age.filter { !wanted.contains($0) }[...]
        for (index, keysym) in wanted.enumerated() where places[keysym] == nil {
            if index == 0, free.isEmpty, old.isEmpty { old = age.prefix(1) }
            if index > 0 { old = old.prefix { !struck.contains($0) } }
            guard let place = free.popFirst() ?? old.popFirst().flatMap({ remove($0) }) else { return }
            places[keysym] = place
            // What nobody has struck yet goes before what somebody has.
            age.insert(keysym, at: 0)
        }
    }

    @discardableResult
    private mutating func remove(_ keysym: Keysym) -> Place? {
        age.removeAll { $0 == keysym }
        struck.remove(keysym)
        return places.removeValue(forKey: keysym)
    }
}
