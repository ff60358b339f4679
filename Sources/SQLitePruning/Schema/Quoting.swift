extension String {
    /// The text as an SQL identifier.
    var quotedIdentifier: String {
        "\"" + replacing("\"", with: "\"\"") + "\""
    }
}
