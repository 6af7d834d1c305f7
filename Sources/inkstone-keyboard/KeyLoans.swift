import Inkstone

/// The keysyms that are mapped to borrowed key codes, which no key of the user's layout has. Each is on a level of a
/// key code: the one without Shift or the one with Shift. This value does not access the server.
struct KeyLoans {
    /// A level of a key code: without or with Shift.
    struct Place: Hashable {
        var keycode: UInt8
        var needsShift: Bool
    }

    private var places: [Keysym: Place] = [:]
    /// All keysyms that are mapped, the least recently typed first.
    private var age: [Keysym] = []
    /// The mapped keysyms that have been typed at least once.
    private var struck: Set<Keysym> = []

    /// The keysyms of all borrowed key codes, by level. If only the level without Shift is in use, the list has one
    /// keysym, and Shift does not change the letter. If only the level with Shift is in use, the first keysym is 0.
    var keys: [UInt8: [Keysym]] {
        var keys: [UInt8: [Keysym]] = [:]
        for (keysym, place) in places where !place.needsShift { keys[place.keycode] = [keysym] }
        for (keysym, place) in places where place.needsShift { keys[place.keycode, default: [0]].append(keysym) }
        return keys
    }

    func place(of keysym: Keysym) -> Place? { places[keysym] }

    /// Records that a mapped keysym is typed. It keeps its key code longer than keysyms typed earlier.
    mutating func strike(_ keysym: Keysym) {
        guard let index = age.firstIndex(of: keysym) else { return }
        age.append(age.remove(at: index))
        struck.insert(keysym)
    }

    /// Maps the wanted keysyms to levels, as far as there is room. Forgets keysyms on key codes that may not be
    /// used any more.
    ///
    /// A level that is in use is reused only if no level is free, beginning with the least recently typed keysym: a
    /// program that reads the map late would take the new keysym for the old one. The level of a keysym that was typed
    /// before is taken only for the first wanted keysym.
    ///
    /// - Parameters:
    ///   - wanted: the keysym that is typed next, and then those that may follow. None of them loses its level to
    ///     another one, unless the first one would get none.
    ///   - keycodes: the key codes that may be used, including those that are borrowed already.
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
            // Insert the new keysym at the front, where keysyms are replaced first: one that has not been typed gives
            // up its level before those that have.
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
