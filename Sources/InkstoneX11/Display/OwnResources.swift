/// The X resources that we have created on a connection: those in use, and those freed most recently, about which
/// errors and events may still arrive.
struct OwnResources {
    private var live: Set<UInt> = []
    private var freed: Set<UInt> = []
    /// The freed resources as a ring buffer.
    private var ring: [UInt] = []
    /// The index of the oldest resource in ``ring``, which is replaced next. 0 until the ring is full.
    private var next = 0

    /// The maximum number of freed resources that are remembered; the oldest are forgotten.
    static let memory = 1024

    /// The number of resources that are remembered.
    var count: Int { live.count + freed.count }

    /// Records a new resource.
    mutating func insert(_ resource: UInt) {
        // Identifiers of freed resources are used again. If this one is in `freed`, leave it there: its entry in `ring`
        // removes it.
        live.insert(resource)
    }

    /// Records that a resource is freed, or will be freed together with its window.
    mutating func free(_ resource: UInt) {
        guard live.remove(resource) != nil, freed.insert(resource).inserted else { return }
        if ring.count < Self.memory {
            ring.append(resource)
        } else {
            freed.remove(ring[next])
            ring[next] = resource
            next = (next + 1) % Self.memory
        }
    }

    /// Whether a resource is ours, or was until recently.
    func contains(_ resource: UInt) -> Bool { live.contains(resource) || freed.contains(resource) }
}
