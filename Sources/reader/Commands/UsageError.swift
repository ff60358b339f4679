/// What the arguments ask for cannot be, which is known only from what is in the store.
struct UsageError: Error {
    let message: String

    init(_ message: String) { self.message = message }
}
