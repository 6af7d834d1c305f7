import Inkstone

/// A form: a name, a password, Tab between them, Return in the last one.
@MainActor func form(_ display: Display, submit: @escaping (String, String) -> Void) throws -> WidgetWindow {
    let window = try WidgetWindow(
        display, size: Size(width: 320, height: 120), properties: Inkstone.Window.Properties(title: "Sign in"))
    window.background = Theme().panel.background
    let (name, password) = (TextView(in: window), TextView(in: window))
    for field in [name, password] {
        field.options.isSingleLine = true
        field.options.tabBehavior = .movesFocus
    }
    name.options.placeholder = "Name"
    password.options.placeholder = "Password"
    password.options.isSecureTextEntry = true
    name.onSubmit = { [weak password] in password?.focus() }
    password.onSubmit = { [weak name, weak password] in submit(name?.text ?? "", password?.text ?? "") }
    window.focusOrder = .contents
    window.onLayout = { window in
        var y = 12.0
        for field in [name, password] {
            let height = field.preferredHeight
            field.setFrame(WindowRect(x: 12, y: y, width: window.size.width - 24, height: height))
            y += height + 12
        }
    }
    return window
}
