public import InkstoneBase

/// Text that an input method and a client exchange: the string and, for marked text, its clauses.
///
/// Takes the place of Apple's attributed strings with clause-segment attributes.
public struct InputText: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The text without its clauses.
    public var string: String
    /// The clauses, in order and without overlap. Text outside of them counts as ``MarkedClauseKind/raw``.
    public var clauses: [MarkedClause]
    /// The caret of the input method, in UTF-16 units from the start of the text; nil if the method has not
    /// reported it. While a clause is being converted, the selected range is that clause; then only this property
    /// has the caret.
    public var caret: UTF16Offset?
    /// Whether the input method wants the caret to be hidden in the marked text.
    public var isCaretHidden: Bool

    /// Creates text with its clauses, if any.
    public init(
        _ string: String, clauses: [MarkedClause] = [], caret: UTF16Offset? = nil, isCaretHidden: Bool = false
    ) {
        self.string = string
        self.clauses = clauses
        self.caret = caret
        self.isCaretHidden = isCaretHidden
    }

    /// Creates text without clauses.
    public init(stringLiteral value: String) { self.init(value) }

    /// Whether two texts are equal, scalar by scalar. "é" as one scalar differs from "é" as two scalars, because
    /// the offsets after it differ.
    public static func == (a: Self, b: Self) -> Bool {
        a.string.utf8.elementsEqual(b.string.utf8) && a.clauses == b.clauses && a.caret == b.caret
            && a.isCaretHidden == b.isCaretHidden
    }

    /// The clause being converted; nil if there is none.
    public var targetClause: MarkedClause? { clauses.first { $0.kind == .target } }
}

/// An attribute of marked text that a client can display. The counterpart of Apple's keys for
/// `validAttributesForMarkedText()`.
public enum MarkedTextAttribute: String, Hashable, Sendable, CaseIterable {
    /// An underline under each clause.
    case underlineStyle
    /// A separate colour of the underline.
    case underlineColor
    /// The division of marked text into clauses.
    case clauseSegment
    /// A background behind a clause.
    case backgroundColor
}

/// The style of marked text: one style for each kind of clause. The counterpart of Apple's `markedTextStyle`.
///
/// By default, the clause being converted has an underline twice as thick as that of the other clauses, and no
/// clause has a background, so none looks like selected text.
public struct MarkedTextStyle: Hashable, Sendable {
    /// The style of one kind of clause.
    public struct Clause: Hashable, Sendable {
        /// The thickness of the underline, as a multiple of the view's own single underline (one pixel at scale 1);
        /// 0 for none.
        public var underlineThickness: Double
        /// The colour of the underline; nil for the colour of the text.
        public var underlineColor: Color?
        /// The background colour; nil for none.
        public var backgroundColor: Color?
        /// The colour of the text; nil for the view's text colour.
        public var textColor: Color?

        /// Creates a style from its parts.
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

    /// The style of text as typed, before any conversion.
    public var raw: Clause
    /// The style of converted clauses.
    public var converted: Clause
    /// The style of the clause being converted.
    public var target: Clause

    /// Creates a style from those of the clauses. The default styles differ only in thickness: the underline of the
    /// clause being converted is twice as thick as the others.
    public init(
        raw: Clause = Clause(underlineThickness: 1), converted: Clause = Clause(underlineThickness: 1),
        target: Clause = Clause(underlineThickness: 2)
    ) {
        self.raw = raw
        self.converted = converted
        self.target = target
    }

    /// The style of one kind of clause.
    public subscript(kind: MarkedClauseKind) -> Clause {
        switch kind {
        case .raw: raw
        case .converted: converted
        case .target: target
        }
    }
}
