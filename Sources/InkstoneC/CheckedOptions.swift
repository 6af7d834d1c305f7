import CInkstone
import Inkstone

/// The options of a view from the C interface, after validation.
struct CheckedOptions {
    private let options: ink_view_options
    private let font: FontDescriptor?
    private let placeholder: String

    /// Creates the options from those of C, after validating them. Nil, with the last error set, if the structure is too
    /// small or an option is invalid.
    init?(_ pointer: UnsafePointer<ink_view_options>) {
        // Check the size first, because reading a smaller structure would read memory beyond its end.
        guard UnsafeRawPointer(pointer).load(as: Int.self) >= MemoryLayout<ink_view_options>.size else {
            LastError.set("The options have no size: call ink_view_options_init first.")
            return nil
        }
        let options = pointer.pointee
        guard (1...1000).contains(options.font_size) else {
            LastError.set("A font has a size from 1 to 1000 pixels.")
            return nil
        }
        guard options.maximum_length >= -1 else {
            LastError.set("A maximum length is a number of characters, or -1 for none.")
            return nil
        }
        guard options.tab == INK_TAB_INSERTS || options.tab == INK_TAB_MOVES_FOCUS else {
            LastError.set("Tab inserts or moves the focus: \(options.tab.rawValue) is neither.")
            return nil
        }
        let pattern = options.font.map { String(cString: $0) } ?? "monospace"
        font = FontDescriptor(pattern: pattern, size: options.font_size)
        guard font != nil else {
            LastError.set("“\(pattern)” is no pattern that fontconfig knows.")
            return nil
        }
        placeholder = options.placeholder.map { String(cString: $0) } ?? ""
        self.options = options
    }

    func apply(to view: TextView) {
        var new = view.options
        new.isEditable = options.is_editable
        new.isSingleLine = options.is_single_line
        new.isSecureTextEntry = options.is_secure
        new.maximumLength = options.maximum_length < 0 ? nil : Int(options.maximum_length)
        new.placeholder = placeholder
        new.tabBehavior = options.tab == INK_TAB_MOVES_FOCUS ? .movesFocus : .insertsTab
        view.options = new
        view.wrapsLines = options.wraps_lines
        guard var font else { return }
        font.size = (font.size * (view.window?.display.scale ?? 1)).rounded()
        view.font = font
    }
}
