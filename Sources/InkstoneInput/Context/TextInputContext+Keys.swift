public import InkstoneBase

/// Handling of keys that no input method uses. They are priority key commands, bindings, other key commands, or
/// plain text.
extension TextInputContext {
    /// Handles a key for this client: through the ``session`` and its input method if there is a session, otherwise
    /// directly. Returns whether the key was used. With a session, always returns true, because the result is not known
    /// yet.
    @discardableResult
    public func handleEvent(_ event: KeyEvent, raw: (any Sendable)? = nil) -> Bool {
        guard let session else { return type(event) }
        session.handle(event, raw: raw)
        return true
    }

    /// Performs a key that no input method has used. The key is tried as a priority key command, a binding, another
    /// key command, and plain text, in this order. Returns whether it had an effect. For an asynchronous client,
    /// always returns true, because the result is not known yet.
    @discardableResult
    public func type(_ event: KeyEvent) -> Bool {
        if let keyEntries {
            keyEntries.take(event)
            return true
        }
        return typeBySystem(event)
    }

    /// Performs a key. `usesBindings` is whether the key may be a command, and `insertsText` whether it may type
    /// text.
    @discardableResult
    func typeBySystem(_ event: KeyEvent, usesBindings: Bool = true, insertsText: Bool = true) -> Bool {
        flush()
        guard event.phase != .up, let client, !event.keysym.isModifier else { return false }
        if usesBindings, let command = priorityCommand(for: event) {
            return perform(command.action, endsComposition: !command.isAllowedDuringComposition)
        }
        // A bound key types no text, even if its commands are refused: a Return that a single-line field refuses
        // must not type a newline. There is one exception: a client with only `KeyInput` supports few commands, so
        // the key's text is typed if none of them applies.
        var typesText = insertsText
        switch usesBindings ? matchBinding(event) : .none {
        case .prefix: return true
        case .commands(let commands):
            var isDone = commands.isEmpty
            for command in commands where perform(command) { isDone = true }
            if isDone { return true }
            typesText = insertsText && inputClient == nil
        case .none:
            if !pendingStrokes.isEmpty {
                pendingStrokes = []
                return true
            }
        }
        if usesBindings, let command = keyCommand(for: event), perform(command.action) { return true }
        guard typesText, event.modifiers.isDisjoint(with: .commanding), let text = typedText(event),
            textInput?.isEditable ?? true
        else { return false }
        endCompositionIfAny()
        call(.insertText(text, .notFound))
        if let inputClient {
            inputClient.insertText(text, replacementRange: .notFound)
        } else {
            client.insertText(text)
        }
        return true
    }

    /// Performs the priority key command of a key. Returns false if there is none.
    func performPriorityCommand(for event: KeyEvent) -> Bool {
        guard let command = priorityCommand(for: event) else { return false }
        perform(command.action, endsComposition: !command.isAllowedDuringComposition)
        return true
    }

    /// Returns the priority key command of a key, from the client or its responder chain, or from ``chainEnd`` or
    /// its chain. Nil if none applies now.
    func priorityCommand(for event: KeyEvent) -> KeyCommand? {
        guard event.phase != .up else { return nil }
        return keyCommand(for: event) {
            $0.wantsPriorityOverSystemBehavior && ($0.isAllowedDuringComposition || !self.isComposing)
        }
    }

    private func keyCommand(
        for event: KeyEvent, where isWanted: (KeyCommand) -> Bool = { _ in true }
    ) -> KeyCommand? {
        var found: KeyCommand?
        _ = firstInChain { responder in
            let commands = responder.keyCommands
            guard !commands.isEmpty else { return false }
            for stroke in KeyStroke.candidates(for: event) where found == nil {
                found = commands.first { $0.stroke == stroke && isWanted($0) }
            }
            return found != nil
        }
        return found
    }

    /// Calls `isMeant` for the client and its responder chain, then for ``chainEnd`` and its chain. Stops when
    /// `isMeant` returns true. Returns whether it has returned true.
    private func firstInChain(where isMeant: (any Responder) -> Bool) -> Bool {
        var end = chainEnd
        var here = responder
        while true {
            if here == nil { (here, end) = (end, nil) }
            guard let responder = here else { return false }
            if responder === end { end = nil }
            if isMeant(responder) { return true }
            here = responder.next
        }
    }

    private func matchBinding(_ event: KeyEvent) -> KeyBindingTable.Match {
        guard !pendingStrokes.isEmpty || keyBindings.mayBegin(with: event) else { return .none }
        var prefix: [KeyStroke]?
        for stroke in KeyStroke.candidates(for: event) {
            let strokes = pendingStrokes.isEmpty ? [stroke] : pendingStrokes + [stroke]
            switch keyBindings.match(strokes) {
            case .commands(let commands):
                pendingStrokes = []
                return .commands(commands)
            case .prefix: prefix = prefix ?? strokes
            case .none: break
            }
        }
        guard let prefix else { return .none }
        pendingStrokes = prefix
        return .prefix
    }

    /// Cancels an unfinished chord. Called when the view that has received its keys loses the focus.
    func cancelChord() { pendingStrokes = [] }

    /// Whether a key belongs to a chord of several keys: it would begin one, or one has begun. The input method
    /// does not get such keys, because it would compose the letters among them. Always false during a composition,
    /// in which all keys go to the input method.
    func belongsToChord(_ event: KeyEvent) -> Bool {
        guard event.phase != .up, !event.keysym.isModifier, !isComposing else { return false }
        if !pendingStrokes.isEmpty { return true }
        return keyBindings.hasChords && keyBindings.mayBegin(with: event)
            && KeyStroke.candidates(for: event).contains { keyBindings.match([$0]) == .prefix }
    }

    /// Performs a command. The client performs it, or else the first responder of its chain that can. A responder
    /// that refuses a command is not asked to perform it. A composition ends first, and its text is kept, unless
    /// the command keeps the composition (``EditCommand/keepsComposition``) or `endsComposition` is false. If the
    /// command cancels an operation and a composition ended, it has no other effect. Returns whether the command
    /// had an effect or was accepted by the client.
    @discardableResult
    public func perform(_ command: EditCommand, endsComposition: Bool = true) -> Bool {
        flush()
        guard let client else { return false }
        let isAllowed = responder?.canPerformAction(command, withSender: nil) ?? true
        if isAllowed {
            // An Escape that ends a composition has no other effect.
            if endsComposition, !command.keepsComposition, endCompositionIfAny(), command == .cancelOperation {
                return true
            }
            call(.doCommand(command))
            if let keyEntries, performAsynchronously(command, keyEntries) { return true }
            if let inputClient {
                if inputClient.doCommand(by: command) { return true }
            } else if performPlainly(command, client) {
                return true
            }
        }
        return firstInChain {
            $0.canPerformAction(command, withSender: nil) && $0.performAction(command, withSender: nil)
        }
    }

    /// Performs a command by the member that an asynchronous client has for it. Returns false if the client has
    /// none.
    private func performAsynchronously(_ command: EditCommand, _ entries: KeyEntryQueue) -> Bool {
        guard let input = entries.input else { return false }
        if let (direction, granularity) = command.deletion {
            if input.isEditable { input.delete(in: direction, to: granularity) }
        } else if let (direction, granularity) = command.moveToBorder {
            input.moveSelection(atBoundary: granularity, in: direction) { _ in }
        } else if command == .transpose {
            input.transposeCharactersAroundSelection()
        } else {
            return false
        }
        return true
    }

    /// Performs the commands that a client with only ``KeyInput`` supports. Returns false for others.
    private func performPlainly(_ command: EditCommand, _ client: any KeyInput) -> Bool {
        if client is CommandClient || client is ScrollingClient { return false }
        switch command {
        case .deleteBackward: client.deleteBackward()
        case .insertNewline: client.insertText("\n")
        default: return false
        }
        return true
    }

    private func typedText(_ event: KeyEvent) -> String? {
        let text = Self.withoutControls(event.characters)
        return text.isEmpty ? nil : text
    }

    /// Returns the text of a key that only inserts text; nil for a key that is a command.
    func plainText(of event: KeyEvent) -> String? {
        guard event.phase != .up, !event.keysym.isModifier, event.modifiers.isDisjoint(with: .commanding) else {
            return nil
        }
        if event.keysym == .return { return "\n" }
        return event.characters.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7f } ? nil : typedText(event)
    }

    /// Inserts text before the marked text. The composition continues. Returns false if there is no marked text, or
    /// if the client does not support that.
    func insertBeforeComposition(_ text: String) -> Bool {
        flush(isFinal: false)
        guard let client = inputClient as? any TextInputClient & AnchoredTextInput else { return false }
        let marked = client.markedRange()
        guard !marked.isNotFound else { return false }
        let start = UTF16Range(location: marked.location, length: 0)
        call(.replaceText(start, text))
        client.replaceText(at: client.makeInputAnchor(for: start), with: text)
        return true
    }
}
