import CX11
import Glibc
import InkstoneTesting

/// A fontconfig configuration for golden images: named font files of the distribution's packages, with fixed
/// rendering options, independent of the machine's own fonts and settings. It applies to the whole process until
/// ``end()``.
final class GoldenFonts {
    /// The font files, and the packages that contain them.
    static let files: [(path: String, package: String)] = [
        ("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "fonts-dejavu-core"),
        ("/usr/share/fonts/truetype/dejavu/DejaVuSerif.ttf", "fonts-dejavu-core"),
        ("/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf", "fonts-noto-core"),
        ("/usr/share/fonts/truetype/noto/NotoSansArabic-Regular.ttf", "fonts-noto-core"),
        ("/usr/share/fonts/truetype/noto/NotoSansHebrew-Regular.ttf", "fonts-noto-core"),
        ("/usr/share/fonts/truetype/noto/NotoSansDevanagari-Regular.ttf", "fonts-noto-core"),
        ("/usr/share/fonts/truetype/noto/NotoSansKannada-Regular.ttf", "fonts-noto-core"),
        ("/usr/share/fonts/truetype/noto/NotoSansThai-Regular.ttf", "fonts-noto-core"),
        ("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc", "fonts-noto-cjk"),
        ("/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf", "fonts-noto-color-emoji"),
    ]

    /// Debian's own rules for these fonts: slight hinting, scaled bitmaps, Noto Sans and DejaVu as fallbacks.
    private static let rules = """
        <?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
        <fontconfig>
        <match target="pattern">
        <edit name="family" mode="append" binding="weak"><string>Noto Sans</string><string>DejaVu Sans</string></edit>
        <edit name="hintstyle" mode="append"><const>hintslight</const></edit>
        <edit name="antialias" mode="append"><bool>true</bool></edit>
        <edit name="lcdfilter" mode="append"><const>lcddefault</const></edit>
        </match>
        <match target="font">
        <test name="outline"><bool>false</bool></test>
        <edit name="pixelsizefixupfactor" mode="assign">
        <divide><name target="pattern">pixelsize</name><name target="font">pixelsize</name></divide>
        </edit>
        <edit name="matrix" mode="assign">
        <times>
        <name>matrix</name>
        <matrix>
        <name>pixelsizefixupfactor</name><double>0</double><double>0</double><name>pixelsizefixupfactor</name>
        </matrix>
        </times>
        </edit>
        <edit name="size" mode="assign">
        <divide><name>size</name><name>pixelsizefixupfactor</name></divide>
        </edit>
        </match>
        </fontconfig>
        """

    /// A font file that the pictures need is not installed.
    struct Missing: Error, CustomStringConvertible {
        var path: String
        var package: String
        var description: String { "\(path) cannot be read: install the package \(package) (scripts/setup --tests)" }
    }

    private let before = FcConfigReference(nil)
    private let own = FcConfigCreate()

    /// Makes this the current configuration; loads the previous one first if necessary, to restore it later.
    ///
    /// Throws ``Missing`` if a file is not there.
    init(_ files: [(path: String, package: String)] = files) throws {
        guard FcConfigParseAndLoadFromMemory(own, Self.rules, 1) != 0 else {
            throw TimedOut(what: "fontconfig to take the rules for pictures", milliseconds: 0)
        }
        for (path, package) in files where FcConfigAppFontAddFile(own, path) == 0 {
            throw Missing(path: path, package: package)
        }
        FcConfigSetCurrent(own)
    }

    /// Restores the previous configuration.
    func end() { FcConfigSetCurrent(before) }

    deinit {
        FcConfigDestroy(own)
        FcConfigDestroy(before)
    }
}
