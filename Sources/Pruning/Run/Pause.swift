/// How long the lock stays free between two batches.
package struct Pause: Equatable, Sendable {
    /// It lasts so long whatever happens.
    let least: Duration
    /// It lasts so long unless somebody else uses the lock, and then no longer.
    let most: Duration

    /// None, for nobody can wait.
    static let none = Pause(least: .zero, most: .zero)
}
