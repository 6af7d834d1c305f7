import InkstoneProxy

// A keyboard, which needs no display: it links neither text nor layout.
let keyboard = InputController(name: "dictate")
print("may edit: \(keyboard.hasFullAccess)")
