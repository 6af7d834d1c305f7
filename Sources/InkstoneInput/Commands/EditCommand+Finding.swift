/// Finding, which is the program's: these go up the responder chain.
extension EditCommand {
    /// Opens what text to look for is typed into.
    public static let find = EditCommand("find")
    /// Opens it with what is to take the place of matches.
    public static let findAndReplace = EditCommand("findAndReplace")
    /// As ``find``, or the next match if the keys are where one types what to look for already.
    public static let findOrNext = EditCommand("findOrNext")
    /// The next match.
    public static let findNext = EditCommand("findNext")
    /// The previous match.
    public static let findPrevious = EditCommand("findPrevious")
    /// Looks for what PRIMARY has: what was selected last anywhere.
    public static let findPrimary = EditCommand("findPrimary")
    /// Asks for a line to go to.
    public static let goToLine = EditCommand("goToLine")
}
