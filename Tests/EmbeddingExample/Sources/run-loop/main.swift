import Foundation
import Inkstone

CharacterLocale.prepare()
let display = Display.openOrExit()
let window = try WidgetWindow(display, size: Size(width: 640, height: 400), properties: .init(title: "Notes"))
let view = TextView(in: window)
let observation = view.observe { if $0.textChange != nil { Task { print(view.text) } } }
window.onClose = { _ in exit(0) }
window.show()
// The run loop runs the main queue, and the main queue the display.
display.runsMainQueue = false
let source = DispatchSource.makeReadSource(fileDescriptor: display.fileDescriptor, queue: .main)
source.setEventHandler { MainActor.assumeIsolated { display.processEvents() } }
source.resume()
display.processEvents()
RunLoop.main.run()
