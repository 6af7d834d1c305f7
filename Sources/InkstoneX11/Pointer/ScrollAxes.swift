import InkstoneBase

/// The scroll axes of wheels and touchpads as XInput 2 reports them: a plain value.
///
/// An axis counts a running sum for each device, so a distance is the difference from the previous sum. That base is queried whenever
/// the pointer enters a window, because the sum changes during scrolling elsewhere, and is reported when another device takes over.
/// Distances are wheel clicks, positive right and down.
struct ScrollAxes: Hashable, Sendable {
    /// An axis of a device.
    struct Axis: Hashable, Sendable {
        /// The number of the axis among the device's valuators.
        var number: Int
        /// Whether the axis scrolls up and down.
        var isVertical: Bool
        /// The change of the sum for one click; negative if the axis counts the other way.
        var increment: Double
        /// The latest known sum; nil if it is unknown.
        var sum: Double?
        /// The queried sum, until a later event comes.
        fileprivate var answer: Answer?

        init(number: Int, isVertical: Bool, increment: Double, sum: Double?) {
            self.number = number
            self.isVertical = isVertical
            self.increment = increment
            self.sum = sum
        }
    }

    /// A sum as of the completion of a request.
    fileprivate struct Answer: Hashable, Sendable {
        var sum: Double
        var serial: UInt
    }

    /// The scrolling of one event.
    struct Step: Hashable, Sendable {
        /// The distance in clicks; zero means that fingers were lifted, or that the distance is unknown.
        var distance = Vector(dx: 0, dy: 0)
        /// Whether the server's emulated buttons are more reliable, because there was no base to measure from.
        var isUncertain = false
    }

    /// The axes by the identifier of the physical device.
    private var devices: [Int32: [Axis]] = [:]
    /// The limit of a valid step: sums wrap at 2³¹ in some drivers, and no hand scrolls so far at once.
    private static let largestStep = 1e8

    /// Whether a device is known, including one without axes.
    func knows(_ device: Int32) -> Bool { devices[device] != nil }

    /// Sets the axes of a device with their current sums.
    mutating func setAxes(_ axes: [Axis], of device: Int32) {
        devices[device] = axes.filter { $0.increment != 0 && $0.increment.isFinite }
    }

    /// Sets the axes of a device with their sums as of the completion of a request. Events from before it may still come; the
    /// sums include them.
    ///
    /// - Parameter serial: the request's number.
    mutating func rebase(_ axes: [Axis], of device: Int32, serial: UInt) {
        setAxes(
            axes.map { axis in
                var axis = axis
                axis.answer = axis.sum.map { Answer(sum: $0, serial: serial) }
                axis.sum = nil
                return axis
            }, of: device)
    }

    /// Whether a device reports scrolling in a direction as sums; if not, as buttons.
    func hasAxis(_ device: Int32, isVertical: Bool) -> Bool {
        devices[device]?.contains { $0.isVertical == isVertical } ?? false
    }

    /// Applies the values of an event.
    ///
    /// - Parameters:
    ///   - values: the changed valuators by number.
    ///   - serial: the number of the last request that the server had processed then.
    /// - Returns: nil if none of the values belongs to an axis.
    mutating func take(_ values: [Int: Double], of device: Int32, serial: UInt) -> Step? {
        guard var axes = devices[device] else { return nil }
        var step: Step?
        for index in axes.indices {
            guard let value = values[axes[index].number], value.isFinite else { continue }
            var sum = step ?? Step()
            if let answer = axes[index].answer, serial >= answer.serial {
                axes[index].sum = answer.sum
                axes[index].answer = nil
            }
            if let base = axes[index].sum {
                let distance = abs(value - base) < Self.largestStep ? (value - base) / axes[index].increment : 0
                if axes[index].isVertical { sum.distance.dy += distance } else { sum.distance.dx += distance }
            } else {
                sum.isUncertain = true
            }
            axes[index].sum = value
            step = sum
        }
        devices[device] = axes
        return step
    }
}
