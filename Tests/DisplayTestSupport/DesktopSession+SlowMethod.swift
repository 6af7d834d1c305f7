import InkstoneTesting

extension DesktopSession {
    /// A scripted input method that commits each press, as slowly as its script says. Not started: ``startEditor(with:script:text:)`` does it.
    package func makeSlowMethod() -> InputMethodServerDriver {
        InputMethodServerDriver(
            program: Products.path(of: "inkstone-xim-server"), options: ["--mode", "commit-each", "--keys", "press"],
            log: "\(home)/xim.log", environment: environment)
    }

    /// Starts a method of ``makeSlowMethod()``, and an editor that has found it.
    package func startEditor(
        with method: InputMethodServerDriver, script: String, text: String = "text\n"
    ) throws -> EditorProcess {
        environment["XMODIFIERS"] = "@im=inkstone"
        try method.start(script: script)
        let editor = try EditorProcess(in: self, text: text)
        try editor.waitForInputMethod("inkstone")
        return editor
    }
}
