import Inkstone

/// A form: a name, a password, Tab between them, Return in the last one.
@MainActor func form(_ display: Display, submit: @escaping (String, String) -> Void) throws -> WidgetWindow {
    let size = Size(width: 320 * display.scale, height: 138 * display.scale)
    let window = try WidgetWindow(display, size: size, properties: Inkstone.Window.Properties(title: "Sign in"))
    let rows = [LabeledField("Name", in: window), LabeledField("Password", in: window)]
    let (name, password) = (rows[0].field, rows[1].field)
    name.options.placeholder = "as your colleagues know you"
    password.options.isSecureTextEntry = true
    name.onSubmit = { [weak password] in password?.focus() }
    password.onSubmit = { [weak name, weak password] in submit(name?.text ?? "", password?.text ?? "") }
    window.focusOrder = .contents
    // Also called when the desktop's scale has changed.
    window.onLayout = { window in
        let gap = 12 * window.display.scale
        var y = gap
        for row in rows {
            row.frame = WindowRect(x: gap, y: y, width: window.size.width - 2 * gap, height: row.preferredHeight)
            y += row.preferredHeight + gap
        }
    }
    return window
}
