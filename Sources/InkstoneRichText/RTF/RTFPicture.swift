import InkstoneBase
import InkstoneText

/// A picture of an RTF document while it is being read.
struct RTFPicture {
    private var bytes: [UInt8] = []
    /// The first hexadecimal digit of a byte whose second one is still to come; nil if there is none.
    private var high: UInt8?
    private var isKnown = false
    private var width: Int?
    private var height: Int?
    private var scales = (width: 100, height: 100)
    private var name = ""
    private var description = ""

    /// The picture as an attachment; nil if it is in a format of Windows or the Macintosh, or cannot be shown.
    var attachment: TextAttachment? {
        guard isKnown, let picture = RichPicture.shown(bytes) else { return nil }
        func pixels(_ twips: Int?, _ scale: Int) -> Double? {
            twips.map { (Double($0) / 15 * Double(scale) / 100).checked(in: 0...16_384) }
        }
        var result = RichPicture.sized(
            picture, width: pixels(width, scales.width), height: pixels(height, scales.height))
        result.alternateDescription = description
        return result
    }

    /// Applies a control word; unknown words have no effect.
    mutating func handle(_ word: String, _ value: Int?) {
        switch word {
        case "pngblip", "jpegblip": isKnown = true
        case "picwgoal": width = value
        case "pichgoal": height = value
        case "picscalex": scales.width = value ?? 100
        case "picscaley": scales.height = value ?? 100
        default: break
        }
    }

    /// Adds a hexadecimal digit of the picture's data; other characters are ignored.
    mutating func add(digit: UInt8) {
        guard let value = RTFScanner.digit(digit) else { return }
        guard let first = high else {
            high = UInt8(value)
            return
        }
        bytes.append(first << 4 | UInt8(value))
        high = nil
    }

    /// Adds binary data of the picture.
    mutating func add(_ data: ArraySlice<UInt8>) { bytes += data }

    // MARK: Named properties

    mutating func beginName() { name = "" }

    mutating func addName(_ text: String) { name.append(text, upTo: 64) }

    mutating func addValue(_ text: String) {
        if name == "wzDescription" { description.append(text, upTo: 4 * 4096) }
    }
}
