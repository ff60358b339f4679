/// Where a service reports its state.
package protocol ServiceNotifier: Sendable {
    /// Reports these states together, as one notification. May be called from any thread, and never fails: a
    /// service goes on whether or not anyone listens.
    func notify(_ states: [ServiceState])
}
