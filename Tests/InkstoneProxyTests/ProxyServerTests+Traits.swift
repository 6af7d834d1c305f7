import InkstoneEditing
import InkstoneInput
import Testing

@testable import InkstoneProxy
@testable import InkstoneProxyServer

/// The wishes of a view, and Return in a view of one line.
extension ProxyServerTests {
    @Test func aViewTellsItsWishesAndTheirChanges() throws {
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
