import CX11

extension Clipboard {
    /// What was asked for in two ways.
    public enum Contribution: Hashable, Sendable {
        /// In the format that was preferred.
        case bytes([UInt8])
        /// As plain text.
        case text(String)
    }

    /// Asks for the selection's text in the best encoding that its owner has. `completion` is called once on the display's
    /// thread: at once if the owner is this object, else later. `timestamp` is that of the user's event; 0 if there is none.
    public func request(timestamp: UInt32, completion: @escaping (Result<String, Failure>) -> Void) {
        guard !display.isLost else { return completion(.failure(.connectionLost)) }
        if let localItem { return completion(localItem.text.map { .success($0) } ?? .failure(.unavailable)) }
        display.needsTurn()
        let targets = SelectionText.preferredTargets(display.atoms)
        display.transfers.receive(selection, targets[...], time: timestamp, timeout: timeout) { [display] result in
            completion(result.flatMap { SelectionText.decode($0.bytes, type: $0.type, display) })
        }
    }

    /// Asks for the selection's bytes in one format, named as a target: `text/html`, `image/png`. As ``request(timestamp:completion:)``.
    public func request(
        format: String, timestamp: UInt32, completion: @escaping (Result<[UInt8], Failure>) -> Void
    ) {
        guard !display.isLost else { return completion(.failure(.connectionLost)) }
        if let localItem {
            return completion(localItem.bytes(of: format).map { .success($0.all) } ?? .failure(.unavailable))
        }
        display.needsTurn()
        display.transfers.receive(selection, [display.intern(format)], time: timestamp, timeout: timeout) {
            completion($0.map { $0.bytes })
        }
    }

    /// Asks for the selection in one format, and for its text if the owner does not have that. Both are asked for at once: an
    /// owner that is slow costs one wait, and one that never answers for a format that it does not know costs none.
    public func request(
        preferring format: String, timestamp: UInt32, completion: @escaping (Result<Contribution, Failure>) -> Void
    ) {
        guard !display.isLost else { return completion(.failure(.connectionLost)) }
        if let localItem {
            if let bytes = localItem.bytes(of: format) { return completion(.success(.bytes(bytes.all))) }
            return completion(localItem.text.map { .success(.text($0)) } ?? .failure(.unavailable))
        }
        display.needsTurn()
        let race = SelectionRace(display.transfers, completion)
        race.preferred = display.transfers.receive(
            selection, [display.intern(format)], time: timestamp, timeout: timeout
        ) {
            race.preferredCame($0)
        }
        let targets = SelectionText.preferredTargets(display.atoms)
        race.text = display.transfers.receive(selection, targets[...], time: timestamp, timeout: timeout) {
            [display] result in
            race.textCame(result.flatMap { SelectionText.decode($0.bytes, type: $0.type, display) })
        }
    }
}

/// A format and the text asked for at once: the better answer counts, and the other is given up.
private final class SelectionRace {
    weak var preferred: IncomingSelection?
    weak var text: IncomingSelection?
    private var textFailure: Clipboard.Failure?
    private var preferredHasFailed = false
    private let transfers: SelectionTransfers
    private var completion: ((Result<Clipboard.Contribution, Clipboard.Failure>) -> Void)?

    init(
        _ transfers: SelectionTransfers,
        _ completion: @escaping (Result<Clipboard.Contribution, Clipboard.Failure>) -> Void
    ) {
        self.transfers = transfers
        self.completion = completion
    }

    func preferredCame(_ result: IncomingSelection.Answer) {
        switch result {
        case .success(let answer): finish(.success(.bytes(answer.bytes)), without: text)
        case .failure:
            preferredHasFailed = true
            if let textFailure { finish(.failure(textFailure), without: nil) }
        }
    }

    func textCame(_ result: Result<String, Clipboard.Failure>) {
        switch result {
        // An owner answers in order: one that has answered this will not answer the other.
        case .success(let text): finish(.success(.text(text)), without: preferredHasFailed ? nil : preferred)
        case .failure(let failure):
            textFailure = failure
            if preferredHasFailed { finish(.failure(failure), without: nil) }
        }
    }

    private func finish(
        _ result: Result<Clipboard.Contribution, Clipboard.Failure>, without loser: IncomingSelection?
    ) {
        let completion = completion
        self.completion = nil
        if let loser { transfers.abandon(loser) }
        completion?(result)
    }
}
