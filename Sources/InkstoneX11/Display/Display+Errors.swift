import CX11

/// The X errors received on a connection, and the serials of requests whose errors are expected.
struct ErrorRecord {
    /// Whether ``Display/trap(_:)`` is running requests.
    var isTrapping = false
    /// The first error that the requests of ``Display/trap(_:)`` have caused; nil for none.
    var trapped: X11Error?
    /// The serials of the requests of ``Display/tolerating(_:)``, whose errors are not passed to the host.
    var toleratedSerials: [ClosedRange<UInt>] = []
    /// The errors to report after Xlib's error handler has returned.
    var pending: [X11Error] = []
    /// The callback that gets the tolerated errors: ``Display/onToleratedError``.
    var onTolerated: ((X11Error) -> Void)?
    /// Whether the loss of the connection has been reported.
    var isLossReported = false
}

/// Handling of X errors. On a connection that we opened, no error is fatal. On a host program's connection, some errors
/// are handled here: those about our own resources, and those of trapped or tolerated requests. The host's handler gets
/// all others.
extension Display {
    func installHandlers() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        if isAdopted { cx11_handlers_add_adopted(connection) } else { cx11_handlers_add_own(connection) }
        cx11_handlers_set_error(
            connection,
            { _, error, context in
                guard let context else { return false }
                return Unmanaged<Display>.fromOpaque(context).takeUnretainedValue().note(error.pointee)
            }, context)
        cx11_handlers_set_io_error(
            connection,
            { _, context in
                guard let context else { return }
                Unmanaged<Display>.fromOpaque(context).takeUnretainedValue().noteLoss()
            }, context)
    }

    /// Runs `requests`, waits until the server has processed them, and returns their result. Throws if the
    /// connection is lost, or else the first error that they have caused. Two round trips besides those of the
    /// requests.
    func trap<Result>(_ requests: () -> Result) throws(X11Error) -> Result {
        XSync(connection, 0)
        errors.trapped = nil
        errors.isTrapping = true
        let result = requests()
        XSync(connection, 0)
        errors.isTrapping = false
        if isLost { throw .connectionLost(display: name) }
        if let trapped = errors.trapped { throw trapped }
        return result
    }

    /// Runs requests that may fail, for example because a window of another client is gone. Their errors are only
    /// reported to ``onToleratedError``, also on a host program's connection.
    func tolerating<Result>(_ requests: () -> Result) -> Result {
        guard isAdopted else { return requests() }
        let first = XNextRequest(connection)
        let done = XLastKnownRequestProcessed(connection)
        errors.toleratedSerials.removeAll { $0.upperBound < done }
        // If a request waits for its reply, its error arrives before `requests` returns. Until then, tolerate
        // errors of all later serials.
        let open = first...UInt.max
        errors.toleratedSerials.append(open)
        let result = requests()
        if let index = errors.toleratedSerials.lastIndex(of: open) { errors.toleratedSerials.remove(at: index) }
        let last = XNextRequest(connection)
        if last > first { errors.toleratedSerials.append(first...(last - 1)) }
        return result
    }

    /// Reports the collected errors to ``onToleratedError``. May call user code.
    func deliverErrors() {
        guard !errors.pending.isEmpty else { return }
        let pending = errors.pending
        errors.pending = []
        if let onToleratedError { for error in pending { onToleratedError(error) } }
    }

    /// Reports the loss of the connection, once. Returns whether the connection is lost.
    func reportLoss() -> Bool {
        guard isLost else { return false }
        if !errors.isLossReported {
            errors.isLossReported = true
            onLost?()
        }
        return true
    }

    // Records an error, and returns true; returns false for an error that the host's handler must get. Called within
    // Xlib's error handler, so it must not send requests or call user code.
    private func note(_ error: XErrorEvent) -> Bool {
        if isAdopted, !errors.isTrapping {
            let isOurs =
                ownResources.contains(error.resourceid)
                || errors.toleratedSerials.contains { $0.contains(error.serial) }
            guard isOurs else { return false }
        }
        let value = X11Error.requestFailed(
            name: Self.errorNames[Int(error.error_code)] ?? "error \(error.error_code)", code: error.error_code,
            request: error.request_code, minorRequest: error.minor_code,
            resource: UInt32(truncatingIfNeeded: error.resourceid))
        if errors.isTrapping {
            errors.trapped = errors.trapped ?? value
        } else if errors.pending.count < 100 {
            errors.pending.append(value)
        }
        return true
    }

    private func noteLoss() {
        isLost = true
        // Report the loss now: the host's handler is called next, and ends the process.
        if isAdopted { _ = reportLoss() }
    }

    private static let errorNames: [Int: String] = [
        1: "BadRequest", 2: "BadValue", 3: "BadWindow", 4: "BadPixmap", 5: "BadAtom", 6: "BadCursor", 7: "BadFont",
        8: "BadMatch", 9: "BadDrawable", 10: "BadAccess", 11: "BadAlloc", 12: "BadColor", 13: "BadGC",
        14: "BadIDChoice", 15: "BadName", 16: "BadLength", 17: "BadImplementation",
    ]
}
