import InkstoneEditing
import InkstoneInput
import Testing

@testable import InkstoneProxy
@testable import InkstoneProxyServer

/// The wishes of a view, and Return in a view of one line.
extension ProxyServerTests {
    @Test func aViewSendsItsTraitsAndTheirChanges() throws {
        host.traits.autocapitalization = .none
        host.traits.returnKeyType = .search
        host.traits.contentType = "url"
        server.setFocus(nil)
        server.setFocus(host)
        let first = try proxy()
        #expect(first.traits == host.traits && !first.traits.isSingleLine)
        host.session.options.isSingleLine = true
        host.traits.keyboardType = .numberPad
        server.setFocus(host)
        try wait("other traits") { keyboard.textDocumentProxy?.traits.keyboardType == .numberPad }
        #expect(keyboard.textDocumentProxy?.traits.isSingleLine == true)
        let second = try proxy()
        server.setFocus(host)
        second.insertText("x")
        #expect(try outcome(second) == .applied, "the same traits begin nothing anew")
    }

    /// The name of a file comes while keys wait for it: a keyboard's text waits with them.
    @Test func changedTraitsKeepWaitingBatches() throws {
        let proxy = try proxy()
        proxy.setMarkedText("w", selectedRange: 1..<1)
        #expect(try outcome(proxy) == .applied)
        host.isHolding = true
        var status: TextEditStatus?
        proxy.perform(then: { status = $0 }) { $0.insertText("x") }
        try wait("the batch in the queue") { host.queue.count == 1 }
        var changes = 0
        keyboard.onTraitsChange = { changes += 1 }
        keyboard.onFocusChange = { Issue.record("it is the same view") }
        host.traits.autocapitalization = .none
        server.setFocus(host)
        proxy.insertText("y")
        try wait("the wishes") { proxy.traits.autocapitalization == .none }
        #expect(changes == 1 && proxy.isValid && keyboard.textDocumentProxy === proxy)
        host.release()
        #expect(try outcome(proxy) == .applied)
        #expect(status == .applied && host.session.text == "Hello.xy")
    }

    /// A text that is shown otherwise, in another view: what waits for the first is sent to the second, and nothing of it is made twice.
    @Test func aViewThatTakesAnothersPlaceHasWhatWaits() throws {
        let proxy = try proxy()
        host.isHolding = true
        var statuses: [TextEditStatus] = []
        proxy.perform(then: { statuses.append($0) }) { $0.insertText("x") }
        try wait("the batch in the queue") { host.queue.count == 1 }
        let other = TestHost("Other")
        server.prepareReplacement(of: host.session, by: other.session)
        try wait("the outcome") { !statuses.isEmpty }
        proxy.perform(then: { statuses.append($0) }) { $0.insertText("y") }
        try wait("the outcome of one that is late") { statuses.count == 2 }
        #expect(statuses == [.busy, .busy])
        // The window of the first closes before the second has the focus.
        server.setFocus(nil)
        try wait("no focus") { keyboard.textDocumentProxy == nil }
        server.setFocus(other)
        let next = try self.proxy()
        #expect(next.takesPlace(of: proxy) && !proxy.takesPlace(of: next))
        next.insertText("x")
        #expect(try outcome(next) == .applied)
        host.release()
        #expect(host.session.text == "Hello." && other.session.text == "Otherx")
        server.setFocus(host)
        try wait("another proxy") {
            keyboard.textDocumentProxy?.hasContext == true && keyboard.textDocumentProxy !== next
        }
        #expect(keyboard.textDocumentProxy?.takesPlace(of: next) == false)
    }

    /// The successor may be replaced itself before it has the focus.
    @Test func aSuccessorsSuccessorHasWhatWaits() throws {
        let proxy = try proxy()
        let (second, third) = (TestHost("Second"), TestHost("Third"))
        server.prepareReplacement(of: host.session, by: second.session)
        server.setFocus(nil)
        try wait("no focus") { keyboard.textDocumentProxy == nil }
        server.prepareReplacement(of: second.session, by: third.session)
        server.setFocus(third)
        #expect(try self.proxy().takesPlace(of: proxy))
    }

    @Test func aNewlineInOneLineIsItsReturn() throws {
        host.session.options.isSingleLine = true
        server.setFocus(nil)
        server.setFocus(host)
        let proxy = try proxy()
        proxy.insertText("\n")
        #expect(try outcome(proxy) == .refused, "a view without a return action takes no newline")
        var taken: [String] = []
        host.onReturn = { [host] in taken.append(host.session.text) }
        proxy.insertText("a")
        proxy.insertText("\n")
        #expect(proxy.documentContextBeforeInput == "Hello.a", "no newline is expected in the text")
        proxy.insertText("b")
        #expect(try outcome(proxy) == .applied)
        #expect(
            taken == ["Hello.a"] && host.session.text == "Hello.ab" && proxy.documentContextBeforeInput == "Hello.ab")
        proxy.insertText("c\n")
        #expect(try outcome(proxy) == .refused)
        #expect(taken.count == 1 && host.session.text == "Hello.ab", "with other text it is refused whole")
        host.isHolding = true
        proxy.insertText("\r")
        proxy.flush()
        host.performInOrder { [host] in host.session.insert("k") }
        try wait("the batch in the queue") { host.queue.count == 2 }
        host.onReturn = { [host, server] in
            taken.append(host.session.text)
            server.setFocus(nil)
        }
        host.release()
        #expect(taken.last == "Hello.abk", "in its turn")
        try wait("the end of the prompt") { keyboard.textDocumentProxy == nil }
    }
}
