/// A run did not do what it should have; how fast it was means nothing then.
struct WrongResult: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
