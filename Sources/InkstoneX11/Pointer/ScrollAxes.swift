import InkstoneBase

/// The scroll axes of wheels and touchpads as XInput 2 reports them, as a plain value.
///
/// For each axis, a device reports an accumulated value. The distance is the difference from the previous value.
/// Scrolling in other windows changes the value too. So the value is queried each time the pointer enters a window;
/// when another device is used, the server reports it. Distances are in wheel clicks, positive to the right and
/// down.
struct ScrollAxes: Hashable, Sendable {
    /// A scroll axis of a device.
    struct Axis: Hashable, Sendable {
        /// The number of the axis among the device's valuators.
        var number: Int
        /// Whether the axis scrolls vertically.
        var isVertical: Bool
        /// The change of the accumulated value for one click. Negative if the axis counts in the other direction.
        var increment: Double
        /// The latest known accumulated value; nil if it is unknown.
        var sum: Double?
        /// The accumulated value at the time of a query; nil for none. The distance of the first event after the
        /// query is measured from it. After that it is dropped.
        fileprivate var answer: Answer?

        init(number: Int, isVertical: Bool, increment: Double, sum: Double?) {
            self.number = number
            self.isVertical = isVertical
            self.increment = increment
            self.sum = sum
        }
    }

    /// The server's answer to a query: the accumulated value, and the serial number of the query.
    fileprivate struct Answer: Hashable, Sendable {
        var sum: Double
        var serial: UInt
    }

    /// The scrolling that one event reports.
    struct Step: Hashable, Sendable {
        /// The distance in clicks. Zero means that the fingers were lifted, or that the distance is not known.
        var distance = Vector(dx: 0, dy: 0)
        /// Whether the previous value of the axis was not known. If so, use the server's emulated wheel buttons
        /// instead.
        var isUncertain = false
    }

    /// The axes by the identifier of the physical device.
    private var devices: [Int32: [Axis]] = [:]
    /// The greatest valid change of an axis's value in one event; a greater one counts as no scrolling. In some drivers
    /// values wrap at 2³¹, and no user scrolls that far in one step.
    private static let largestStep = 1e8

    /// Whether the axes of a device are known; true also for a device without axes.
    func knows(_ device: Int32) -> Bool { devices[device] != nil }

    /// Sets the axes of a device with their current accumulated values.
    mutating func setAxes(_ axes: [Axis], of device: Int32) {
        devices[device] = axes.filter { $0.increment != 0 && $0.increment.isFinite }
    }

    /// Sets the axes of a device, with their accumulated values at the time of a request. Events from before the
    /// request may still arrive. The values include the distances of these events already, so no distance is
    /// measured for them.
    ///
    /// - Parameter serial: the request's serial number.
    mutating func rebase(_ axes: [Axis], of device: Int32, serial: UInt) {
        setAxes(
            axes.map { axis in
                var axis = axis
                axis.answer = axis.sum.map { Answer(sum: $0, serial: serial) }
                axis.sum = nil
                return axis
            }, of: device)
    }

    /// Whether a device has a scroll axis in a direction. If not, it reports scrolling by buttons.
    func hasAxis(_ device: Int32, isVertical: Bool) -> Bool {
        devices[device]?.contains { $0.isVertical == isVertical } ?? false
    }

    /// Handles the values of an event.
    ///
    /// - Parameters:
    ///   - values: the changed valuators by number.
    ///   - serial: the event's serial: the number of the last request that the server had processed before it.
    /// - Returns: the scrolling; nil if none of the values belongs to a scroll axis.
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
