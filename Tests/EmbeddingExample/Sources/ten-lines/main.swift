import Inkstone

CharacterLocale.prepare()
let display = Display.openOrExit()
let window = try WidgetWindow(display, size: Size(width: 640, height: 400), properties: .init(title: "Notes"))
let view = TextView(in: window)
view.text = "日本語もどうぞ。"
let observation = view.observe { if $0.textChange != nil { print(view.text) } }
window.onClose = { _ in display.stop() }
window.show()
display.run()
