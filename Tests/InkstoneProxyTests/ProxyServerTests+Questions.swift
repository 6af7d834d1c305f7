import InkstoneEditing
import InkstoneProxy
import Testing

@testable import InkstoneProxyServer

/// Edits that come while a question has the keys.
extension ProxyServerTests {
    @Test func anEditThatIsEarlyForAQuestionIsToBeSentAgain() throws {
        let proxy = try proxy()
        var statuses: [TextEditStatus] = []
        func type(_ text: String) throws {
            let count = statuses.count
            proxy.perform(then: { statuses.append($0) }) { $0.insertText(text) }
            try wait("the answer") { statuses.count > count }
        }
        (host.takesInput, host.keepsEdit) = (false, true)
        try type("a")
        host.keepsEdit = false
        try type("b")
        host.takesInput = true
        try type("a")
        #expect(statuses == [.busy, .refused, .applied] && host.session.text == "Hello.a")
    }
}
