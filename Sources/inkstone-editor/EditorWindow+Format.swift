import Inkstone

/// How the file is written: its encoding and its line ends, from the next save on.
extension EditorWindow {
    /// What people look for most; every other name that the system knows does too.
    private static let encodings = [
        "UTF-8", "UTF-16LE", "UTF-16BE", "ISO-8859-1", "windows-1252", "Shift_JIS", "EUC-JP", "ISO-2022-JP", "GB18030",
        "Big5", "EUC-KR", "KOI8-R", "windows-1251", "windows-1256",
    ]

    /// Asks for the encoding that the file is to be saved in.
    func askForEncoding() {
        let request = PathPrompt.Request(
            label: "Encoding:", hint: "Return takes it, Up and Down go through common ones, Escape gives up",
            names: nil,
            history: Self.encodings)
        openPrompt(request, text: file.encodingName) { [weak self] name in
            guard let self else { return }
            guard let encoding = TextEncoding(named: name) else {
                return tell(TextFileError.unknownEncoding(name: name).description, isProblem: true)
            }
            // Where bytes stand in the text it was read in the wrong one.
            if !file.isModified, !file.isReading, !file.isSaving, let path = file.path, file.hasUnreadBytes {
                options.encoding = name
                return reload(path)
            }
            file.setEncoding(encoding)
            tell("It will be saved as \(file.encodingDescription)")
        }
    }

    /// Makes all line ends of the text Windows' or Unix's, as one step of undo, and those that are typed from now on.
    func toggleWindowsLineEnds() {
        guard view.isEditable, !file.isReading else { return }
        file.setNewline(file.newline == .crlf ? .lf : .crlf)
        view.newline = file.newline.rawValue
        updateStatus()
    }
}
