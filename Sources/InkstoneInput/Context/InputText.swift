public import InkstoneBase

/// Text on its way between an input method and a client: the string and, where it is marked, its clauses.
///
/// It stands where Apple's contracts pass attributed strings with clause-segment attributes.
public struct InputText: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The text.
    public var string: String
    /// Its clauses in order, without overlap; what they leave out counts as ``MarkedClauseKind/raw``.
    public var clauses: [MarkedClause]
    /// Where the input method has its caret, in UTF-16 units from the start; nil if it did not say. While a clause is
    /// being converted the selected range is that clause, and this is all that tells of the caret.
    public var caret: UTF16Offset?
    /// Whether the input method wants no caret shown in the marked text.
    public var isCaretHidden: Bool

    /// Text with its clauses, if any.
    public init(
        _ string: String, clauses: [MarkedClause] = [], caret: UTF16Offset? = nil, isCaretHidden: Bool = false
    ) {
        self.string = string
        self.clauses = clauses
        self.caret = caret
        self.isCaretHidden = isCaretHidden
    }

    /// Text without clauses.
    public init(stringLiteral value: String) { self.init(value) }

    /// Whether all is the same, scalar by scalar: "é" in one and in two scalars has other offsets.
    public static func == (a: Self, b: Self) -> Bool {
        a.string.utf8.elementsEqual(b.string.utf8) && a.clauses == b.clauses && a.caret == b.caret
            && a.isCaretHidden == b.isCaretHidden
    }

    /// The clause being converted; nil if there is none.
    public var targetClause: MarkedClause? { clauses.first { $0.kind == .target } }
}

/// An attribute of marked text that a client can show. Apple's keys for `validAttributesForMarkedText()`.
public enum MarkedTextAttribute: String, Hashable, Sendable, CaseIterable {
    /// An underline under each clause.
    case underlineStyle
    /// A colour of its own for the underline.
    case underlineColor
    /// The division into clauses.
    case clauseSegment
    /// A background behind a clause.
    case backgroundColor
}

/// How a view shows marked text: one look for each kind of clause. Apple's `markedTextStyle`.
///
/// Thickness tells clauses apart without colour, and no look equals that of selected text.
public struct MarkedTextStyle: Hashable, Sendable {
    /// How one kind of clause looks.
    public struct Clause: Hashable, Sendable {
        /// Thickness of the underline, as a multiple of the view's own plain one (one pixel at scale 1); 0 for none.
        public var underlineThickness: Double
        /// Colour of the underline; nil for the text's.
        public var underlineColor: Color?
        /// Background; nil for none.
        public var backgroundColor: Color?
        /// Colour of the text; nil for the usual one.
        public var textColor: Color?

        /// A look by its parts.
        public init(
            underlineThickness: Double, underlineColor: Color? = nil, backgroundColor: Color? = nil,
            textColor: Color? = nil
        ) {
            self.underlineThickness = underlineThickness
            self.underlineColor = underlineColor
            self.backgroundColor = backgroundColor
            self.textColor = textColor
        }
    }

    /// The look of text as typed.
    public var raw: Clause
    /// The look of converted clauses.
    public var converted: Clause
    /// The look of the clause being converted.
    public var target: Clause

    /// A style by its looks; the defaults tell the kinds apart by thickness alone.
    public init(
        raw: Clause = Clause(underlineThickness: 1), converted: Clause = Clause(underlineThickness: 1),
        target: Clause = Clause(underlineThickness: 2)
    ) {
        self.raw = raw
        self.converted = converted
        self.target = target
    }

    /// The look of one kind of clause.
    public subscript(kind: MarkedClauseKind) -> Clause {
        switch kind {
        case .raw: raw
        case .converted: converted
        case .target: target
        }
    }
}
