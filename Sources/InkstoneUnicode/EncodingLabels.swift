/// Labels of encodings from the WHATWG Encoding Standard (§4.2), each with the ICU converter that matches the
/// standard's index.
///
/// `x-user-defined` is left out. The encodings that the standard forbids by mapping them to its replacement decoder
/// (`iso-2022-kr`, `hz-gb-2312` …) are left out too, because ICU can decode them and knows their names. `UTF-16`
/// has an entry of its own, because a file's byte order mark decides its byte order.
struct EncodingLabels {
    /// The standard's name of the encoding.
    let name: String
    /// The name with which the ``TextConverter`` of the encoding is created.
    let converter: String
    /// The encoding's other labels, in lower case and separated by spaces.
    private let others: String

    private init(_ name: String, _ converter: String, _ others: String = "") {
        (self.name, self.converter, self.others) = (name, converter, others)
    }

    /// Returns the encoding with a label; nil if the standard does not have the label. ASCII case is ignored.
    static func find(_ label: String) -> EncodingLabels? {
        label.utf8.allSatisfy { $0 < 0x80 } ? byLabel[label.lowercased()] : nil
    }

    /// Whether one of the encoding's labels contains a text. ASCII case is ignored.
    func hasLabel(containing text: String) -> Bool {
        let text = text.lowercased()
        return text.isEmpty
            || ([name.lowercased()] + others.split(separator: " ").map(String.init)).contains { $0.contains(text) }
    }

    private static let byLabel: [String: EncodingLabels] = {
        var found: [String: EncodingLabels] = [:]
        for entry in all {
            for label in [entry.name.lowercased()] + entry.others.split(separator: " ").map(String.init) {
                found[label] = entry
            }
        }
        return found
    }()

    /// The encodings of the standard, in its order.
    static let all: [EncodingLabels] = [
        EncodingLabels("UTF-8", "UTF-8", "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf8 x-unicode20utf8"),
        EncodingLabels("IBM866", "IBM866", "866 cp866 csibm866"),
        EncodingLabels(
            "ISO-8859-2", "ibm-912_P100-1995",
            "csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2"),
        EncodingLabels(
            "ISO-8859-3", "ibm-913_P100-2000",
            "csisolatin3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3"),
        EncodingLabels(
            "ISO-8859-4", "ibm-914_P100-1995",
            "csisolatin4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4"),
        EncodingLabels(
            "ISO-8859-5", "ibm-915_P100-1995",
            "csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988"),
        EncodingLabels(
            "ISO-8859-6", "ibm-1089_P100-1995",
            "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e iso-8859-6-i "
                + "iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987"),
        EncodingLabels(
            "ISO-8859-7", "ibm-9005_X110-2007",
            "csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 iso88597 iso_8859-7 "
                + "iso_8859-7:1987 sun_eu_greek"),
        EncodingLabels(
            "ISO-8859-8", "ibm-5012_P100-1999",
            "csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 "
                + "iso_8859-8:1988 visual"),
        EncodingLabels("ISO-8859-8-I", "ibm-5012_P100-1999", "csiso88598i logical"),
        EncodingLabels("ISO-8859-10", "iso-8859_10-1998", "csisolatin6 iso-ir-157 iso8859-10 iso885910 l6 latin6"),
        EncodingLabels("ISO-8859-13", "ibm-921_P100-1995", "iso8859-13 iso885913"),
        EncodingLabels("ISO-8859-14", "iso-8859_14-1998", "iso8859-14 iso885914"),
        EncodingLabels("ISO-8859-15", "ibm-923_P100-1998", "csisolatin9 iso8859-15 iso885915 iso_8859-15 l9"),
        EncodingLabels("ISO-8859-16", "ISO-8859-16"),
        EncodingLabels("KOI8-R", "ibm-878_P100-1996", "cskoi8r koi koi8 koi8_r"),
        EncodingLabels("KOI8-U", "KOI8-U", "koi8-ru"),
        EncodingLabels("macintosh", "macos-0_2-10.2", "csmacintosh mac x-mac-roman"),
        EncodingLabels("windows-874", "ibm-1162_P100-1999", "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620"),
        EncodingLabels("windows-1250", "ibm-5346_P100-1998", "cp1250 x-cp1250"),
        EncodingLabels("windows-1251", "ibm-5347_P100-1998", "cp1251 x-cp1251"),
        EncodingLabels(
            "windows-1252", "ibm-5348_P100-1997",
            "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 "
                + "iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii x-cp1252"),
        EncodingLabels("windows-1253", "windows-1253", "cp1253 x-cp1253"),
        EncodingLabels(
            "windows-1254", "ibm-5350_P100-1998",
            "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 "
                + "latin5 x-cp1254"),
        EncodingLabels("windows-1255", "windows-1255", "cp1255 x-cp1255"),
        EncodingLabels("windows-1256", "ibm-9448_X100-2005", "cp1256 x-cp1256"),
        EncodingLabels("windows-1257", "ibm-9449_P100-2002", "cp1257 x-cp1257"),
        EncodingLabels("windows-1258", "ibm-5354_P100-1998", "cp1258 x-cp1258"),
        EncodingLabels("x-mac-cyrillic", "macos-7_3-10.2", "x-mac-ukrainian"),
        EncodingLabels(
            "GBK", "ibm-1386_P100-2001",
            "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk"),
        EncodingLabels("GB18030", "gb18030"),
        EncodingLabels("Big5", "ibm-1375_P100-2008", "big5-hkscs cn-big5 csbig5 x-x-big5"),
        EncodingLabels("EUC-JP", "euc-jp-2007", "cseucpkdfmtjapanese x-euc-jp"),
        EncodingLabels("ISO-2022-JP", "ISO-2022-JP", "csiso2022jp"),
        EncodingLabels(
            "Shift_JIS", "ibm-943_P15A-2003",
            "csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis"),
        EncodingLabels(
            "EUC-KR", "windows-949-2000",
            "cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949"),
        EncodingLabels("UTF-16BE", "UTF-16BE", "unicodefffe"),
        EncodingLabels("UTF-16LE", "UTF-16LE"),
        EncodingLabels("UTF-16", "UTF-16", "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff"),
    ]
}
