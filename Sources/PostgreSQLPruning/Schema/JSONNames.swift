import FoundationEssentials

/// A list of names that the server wrote as JSON.
enum JSONNames {
    static func parse(_ text: String) -> [String] {
        (try? JSONDecoder().decode([String].self, from: Data(text.utf8))) ?? []
    }
}
