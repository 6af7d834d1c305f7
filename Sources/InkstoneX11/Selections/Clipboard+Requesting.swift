import CX11
import Glibc
import InkstoneBase

extension Clipboard {
    /// The received contents: bytes in the preferred format, or text.
    public enum Contribution: Hashable, Sendable {
        /// The bytes in the preferred format.
        case bytes([UInt8])
        /// The plain text.
        case text(String)
    }

    /// Requests the selection's text in the best encoding that its owner offers. `completion` is called once on the
    /// display's thread: before this method returns if this object is the owner or the connection is lost,
    /// otherwise later. `timestamp` is that of the user's event; 0 if there is none.
    public func request(timestamp: UInt32, completion: @escaping (Result<String, Failure>) -> Void) {
        request(timestamp: timestamp, as: { $0 }, completion: completion)
    }

    /// Requests the selection's text and converts it with `make`. Long text of another client is decoded and converted
    /// on a background thread.
    ///
    /// - Parameter onReplacement: called before `completion` with the number of invalid byte sequences that were
    ///   replaced by U+FFFD, if there were any.
    public func request<Content: Sendable>(
        timestamp: UInt32, onReplacement: @escaping (Int) -> Void = { _ in },
        as make: @escaping @Sendable (String) -> Content,
        completion: @escaping (Result<Content, Failure>) -> Void
    ) {
        guard !display.isLost else { return completion(.failure(.connectionLost)) }
        if let localItem { return completion(localItem.text.map { .success(make($0)) } ?? .failure(.unavailable)) }
        display.needsTurn()
        let targets = SelectionText.preferredTargets(display.atoms)
        display.transfers.receive(selection, targets[...], time: timestamp, timeout: timeout) { [self] result in
            switch result {
            case .success(let answer):
                decode(answer.bytes, type: answer.type, timestamp, onReplacement, as: make, completion)
            case .failure(let failure): completion(.failure(failure))
            }
        }
    }

    /// Decodes the received bytes and converts the text. If they are invalid UTF-8, requests the text in another
    /// encoding as well, and uses the better of both answers.
    private func decode<Content: Sendable>(
        _ bytes: ReceivedBytes, type: Atom, _ timestamp: UInt32, _ onReplacement: @escaping (Int) -> Void,
        as make: @escaping @Sendable (String) -> Content,
        _ completion: @escaping (Result<Content, Clipboard.Failure>) -> Void
    ) {
        // Reject a picture as text: some owners send a picture for any target, even for targets that they do not offer.
        guard !bytes.arePicture else { return completion(.failure(.unavailable)) }
        func finish(_ decoded: SelectionText.Decoded, _ content: Content) {
            if decoded.replaced > 0 { onReplacement(decoded.replaced) }
            completion(.success(content))
        }
        display.decode(bytes, type: type, as: make) { [self] result in
            let (decoded, content): (SelectionText.Decoded, Content)
            switch result {
            case .success(let made): (decoded, content) = made
            case .failure(let failure): return completion(.failure(failure))
            }
            guard decoded.replaced > 0, type != display.atoms["COMPOUND_TEXT"], !display.isLost else {
                return finish(decoded, content)
            }
            let others = SelectionText.targetsBesideUTF8(display.atoms)
            display.transfers.receive(selection, others[...], time: timestamp, timeout: timeout) { [display] other in
                guard case .success(let other) = other else { return finish(decoded, content) }
                display.decode(other.bytes, type: other.type, as: make) { result in
                    guard case .success(let made) = result, made.decoded.isBetter(than: decoded) else {
                        return finish(decoded, content)
                    }
                    finish(made.decoded, made.content)
                }
            }
        }
    }

    /// Requests the selection's bytes in one format, given as a target such as `text/html` or `image/png`.
    /// Otherwise like ``request(timestamp:completion:)``.
    public func request(
        format: String, timestamp: UInt32, completion: @escaping (Result<[UInt8], Failure>) -> Void
    ) {
        request(formats: [format], timestamp: timestamp, completion: completion)
    }

    /// Requests the selection's bytes in the first of several formats that the owner can provide.
    public func request(
        formats: [String], timestamp: UInt32, completion: @escaping (Result<[UInt8], Failure>) -> Void
    ) {
        guard !display.isLost else { return completion(.failure(.connectionLost)) }
        if let localItem {
            let bytes = formats.lazy.compactMap { localItem.bytes(of: $0) }.first
            return completion(bytes.map { .success($0.all) } ?? .failure(.unavailable))
        }
        display.needsTurn()
        let targets = formats.map { display.intern($0) }
        display.transfers.receive(selection, targets[...], time: timestamp, timeout: timeout) {
            completion($0.map { $0.bytes.all })
        }
    }

    /// Requests the selection in one format. If the owner does not have this format, requests it as text; see
    /// ``request(timestamp:onReplacement:as:completion:)``. Both requests are sent at the same time. So a slow
    /// owner delays the result only once, and an owner that never answers a request for an unknown format does not
    /// delay it.
    public func request<Content: Sendable>(
        preferring format: String, timestamp: UInt32, onReplacement: @escaping (Int) -> Void = { _ in },
        as make: @escaping @Sendable (Contribution) -> Content,
        completion: @escaping (Result<Content, Failure>) -> Void
    ) {
        guard !display.isLost else { return completion(.failure(.connectionLost)) }
        if let localItem {
            if let bytes = localItem.bytes(of: format) { return completion(.success(make(.bytes(bytes.all)))) }
            return completion(localItem.text.map { .success(make(.text($0))) } ?? .failure(.unavailable))
        }
        display.needsTurn()
        let race = SelectionRace(display.transfers) { [self] result in
            switch result {
            case .success(.preferred(let bytes)):
                display.prepare(bytes, { make(.bytes($0.all)) }) { completion(.success($0)) }
            case .success(.text(let bytes, let type)):
                decode(bytes, type: type, timestamp, onReplacement, as: { make(.text($0)) }, completion)
            case .failure(let failure): completion(.failure(failure))
            }
        }
        race.preferred = display.transfers.receive(
            selection, [display.intern(format)], time: timestamp, timeout: timeout
        ) {
            race.preferredCame($0)
        }
        let targets = SelectionText.preferredTargets(display.atoms)
        race.text = display.transfers.receive(selection, targets[...], time: timestamp, timeout: timeout) {
            race.textCame($0)
        }
    }
}

extension Clipboard {
    /// The number of bytes above which formatted text is converted on a background thread. The conversion of longer
    /// text takes some milliseconds.
    private static let formattedLimit = 1 << 13

    /// Requests the selection in the first format that its owner offers and that `make` can convert. `make` gets
    /// the format and its bytes. If there are many bytes, it is called on a background thread. `completion` is
    /// called once on the display's thread, with nil if there is no such format or if the owner does not answer.
    ///
    /// - Parameter offered: the formats that the owner offers, if they are known. Nil to ask the owner.
    public func request<Content: Sendable>(
        firstOf formats: [String], offered: Set<String>? = nil, timestamp: UInt32,
        as make: @escaping @Sendable (String, [UInt8]) -> Content?, completion: @escaping (Content?) -> Void
    ) {
        guard !display.isLost else { return completion(nil) }
        if let localItem {
            return completion(
                formats.lazy.compactMap { format in localItem.bytes(of: format).flatMap { make(format, $0.all) } }.first
            )
        }
        if let offered {
            return requestNext(formats.filter(offered.contains)[...], timestamp, make, completion)
        }
        display.needsTurn()
        display.transfers.receive(selection, [display.atoms["TARGETS"]], time: timestamp, timeout: timeout) {
            [self] result in
            guard !display.isLost, case .success(let answer) = result else { return completion(nil) }
            let offered = Self.atoms(of: answer.bytes.all)
            requestNext(formats.filter { offered.contains(display.intern($0)) }[...], timestamp, make, completion)
        }
    }

    private func requestNext<Content: Sendable>(
        _ formats: ArraySlice<String>, _ timestamp: UInt32, _ make: @escaping @Sendable (String, [UInt8]) -> Content?,
        _ completion: @escaping (Content?) -> Void
    ) {
        guard let format = formats.first, !display.isLost else { return completion(nil) }
        display.needsTurn()
        display.transfers.receive(selection, [display.intern(format)], time: timestamp, timeout: timeout) {
            [self] result in
            guard case .success(let answer) = result else {
                return requestNext(formats.dropFirst(), timestamp, make, completion)
            }
            display.prepare(answer.bytes, beyond: Self.formattedLimit, { make(format, $0.all) }) { [self] content in
                if let content { return completion(content) }
                requestNext(formats.dropFirst(), timestamp, make, completion)
            }
        }
    }

    /// Returns the atoms in a property of 32-bit items. Xlib stores the items as C longs. Of a long list, only the
    /// first 1,024 atoms are returned.
    private static func atoms(of bytes: [UInt8]) -> Set<Atom> {
        let width = MemoryLayout<Atom>.size
        return bytes.withUnsafeBytes { bytes in
            Set(
                stride(from: 0, to: min(bytes.count, 1024 * width) - width + 1, by: width).map {
                    bytes.loadUnaligned(fromByteOffset: $0, as: Atom.self)
                })
        }
    }
}

extension Display {
    /// The number of bytes above which contents are converted on a background thread. The conversion of more bytes
    /// takes some milliseconds.
    private static let preparedLimit = 1 << 20

    /// Decodes the received bytes and converts the text.
    fileprivate func decode<Content: Sendable>(
        _ bytes: ReceivedBytes, type: Atom, as make: @escaping @Sendable (String) -> Content,
        _ completion: @escaping (Result<(decoded: SelectionText.Decoded, content: Content), Clipboard.Failure>) -> Void
    ) {
        guard let kind = SelectionText.kind(of: type, count: bytes.count, atoms) else {
            let decoded = SelectionText.fromCompound(bytes.all, self)
            return completion(.success((decoded, make(decoded.text))))
        }
        prepare(bytes, { SelectionText.decode($0.all, as: kind).map { ($0, make($0.text)) } }, completion)
    }

    /// Converts received bytes with `make`; large ones on a background thread.
    fileprivate func prepare<Content: Sendable>(
        _ bytes: ReceivedBytes, beyond limit: Int = preparedLimit,
        _ make: @escaping @Sendable (ReceivedBytes) -> Content,
        _ completion: @escaping (Content) -> Void
    ) {
        guard bytes.count > limit else { return completion(make(bytes)) }
        // `complete` is called only in a closure passed to the poster, which runs on the display's thread.
        nonisolated(unsafe) let complete = completion
        let poster = poster
        do {
            pthread_detach(
                try BackgroundThread.start {
                    let content = make(bytes)
                    poster.post { complete(content) }
                })
        } catch {
            completion(make(bytes))
        }
    }
}

/// Two requests sent at the same time, one for a format and one for text. The format is preferred if the owner has it;
/// the other request is abandoned.
private final class SelectionRace {
    /// The answer that is used: the one for the preferred format, or the one for text.
    enum Winner {
        case preferred(ReceivedBytes)
        case text(ReceivedBytes, type: Atom)
    }

    weak var preferred: IncomingSelection?
    weak var text: IncomingSelection?
    private var textAnswer: Result<Winner, Clipboard.Failure>?
    private var preferredHasFailed = false
    private let transfers: SelectionTransfers
    private var completion: ((Result<Winner, Clipboard.Failure>) -> Void)?

    init(
        _ transfers: SelectionTransfers,
        _ completion: @escaping (Result<Winner, Clipboard.Failure>) -> Void
    ) {
        self.transfers = transfers
        self.completion = completion
    }

    func preferredCame(_ result: IncomingSelection.Answer) {
        switch result {
        case .success(let answer): finish(.success(.preferred(answer.bytes)), without: text)
        case .failure:
            preferredHasFailed = true
            if let textAnswer { finish(textAnswer, without: nil) }
        }
    }

    func textCame(_ result: IncomingSelection.Answer) {
        let answer = result.map { Winner.text($0.bytes, type: $0.type) }
        // Use the text if the owner has not begun to answer the request for the preferred format: owners answer in
        // order, so this owner does not have that format.
        if case .success = answer, preferred?.isAnswered != true {
            finish(answer, without: preferredHasFailed ? nil : preferred)
        } else if preferredHasFailed {
            finish(answer, without: nil)
        } else {
            textAnswer = answer
        }
    }

    private func finish(
        _ result: Result<Winner, Clipboard.Failure>, without loser: IncomingSelection?
    ) {
        let completion = completion
        self.completion = nil
        if let loser { transfers.abandon(loser) }
        completion?(result)
    }
}
