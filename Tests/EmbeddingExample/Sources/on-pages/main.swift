// What the pages about accessibility and embedding show: a window of its own, or with the number of another program's window a plug in that.
import Inkstone

CharacterLocale.prepare()
let display = try Display()
let host = CommandLine.arguments.dropFirst().first.flatMap { UInt32($0) }
let view = try host.map { try fill(WindowID(rawValue: $0), on: display) }
let accessibility = host == nil ? try showNotes(on: display) : nil
display.run()
