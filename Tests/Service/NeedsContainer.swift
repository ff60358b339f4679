import Testing

/// Skips tests, and says why, where no container can run; in CI (`CI=true`) they run, and so fail.
struct NeedsContainer: SuiteTrait {
    func prepare(for test: Test) async throws {
        guard !Checkout.isInCI, let obstacle = try Container.obstacle() else { return }
        let skip: ConditionTrait = .disabled("no systemd container here: \(obstacle)")
        try await skip.prepare(for: test)
    }
}
