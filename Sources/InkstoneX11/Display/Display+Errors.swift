import CX11

/// The rule for X errors: those of our own connection are never fatal; of an adopted connection, those that concern our
/// resources or requests that may meet a dying peer are ours, all others are the host's.
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

    /// Runs `requests`, waits for the server to have done them (one round trip) and throws the first error among them.
    func trap<Result>(_ requests: () -> Result) throws(X11Error) -> Result {
        XSync(connection, 0)
        trapped = nil
        isTrapping = true
        let result = requests()
        XSync(connection, 0)
        isTrapping = false
        if isLost { throw .connectionLost(display: name) }
        if let trapped { throw trapped }
        return result
    }

    /// Runs requests on windows of other clients, whose errors say only that the peer is gone.
    func tolerating<Result>(_ requests: () -> Result) -> Result {
        let first = XNextRequest(connection)
        let result = requests()
        let last = XNextRequest(connection)
        guard isAdopted, last > first else { return result }
        let done = XLastKnownRequestProcessed(connection)
        toleratedSerials.removeAll { $0.upperBound < done }
        toleratedSerials.append(first...(last - 1))
        return result
    }

    /// Tells ``onToleratedError`` what the handler has collected: here user code may run.
    func deliverErrors() {
        guard !pendingErrors.isEmpty else { return }
        let errors = pendingErrors
        pendingErrors = []
        if let onToleratedError { for error in errors { onToleratedError(error) } }
    }

    /// Reports a lost connection once. Returns whether it is lost.
    func reportLoss() -> Bool {
        guard isLost else { return false }
        if !isLossReported {
            isLossReported = true
            onLost?()
        }
        return true
    }

    // Called within Xlib's handler: no requests, no user code.
    private func note(_ error: XErrorEvent) -> Bool {
        if isAdopted, !isTrapping {
            let isOurs =
                ownResources.contains(error.resourceid) || toleratedSerials.contains { $0.contains(error.serial) }
            guard isOurs else { return false }
        }
        let value = X11Error.requestFailed(
            name: Self.errorNames[Int(error.error_code)] ?? "error \(error.error_code)", code: error.error_code,
            request: error.request_code, minorRequest: error.minor_code,
            resource: UInt32(truncatingIfNeeded: error.resourceid))
        if isTrapping {
            trapped = trapped ?? value
        } else if pendingErrors.count < 100 {
            pendingErrors.append(value)
        }
        return true
    }

    private func noteLoss() {
        isLost = true
        // The host's handler comes next and ends the process.
        if isAdopted { _ = reportLoss() }
    }

    private static let errorNames: [Int: String] = [
        1: "BadRequest", 2: "BadValue", 3: "BadWindow", 4: "BadPixmap", 5: "BadAtom", 6: "BadCursor", 7: "BadFont",
        8: "BadMatch", 9: "BadDrawable", 10: "BadAccess", 11: "BadAlloc", 12: "BadColor", 13: "BadGC",
        14: "BadIDChoice", 15: "BadName", 16: "BadLength", 17: "BadImplementation",
    ]
}
