import Retention

/// Looks at a store, and at the rows of its rules, for everything that a run would need.
package struct StoreChecking {
    private let store: any PrunableStore
    /// The work of the rules, if it began now.
    private let tasks: [PruneTask]
    private let sketching: any StoreSketching
    private let control: RunControl

    package init(
        of store: any PrunableStore, for tasks: [PruneTask], sketching: any StoreSketching,
        _ control: RunControl
    ) {
        (self.store, self.tasks, self.sketching, self.control) = (store, tasks, sketching, control)
    }

    /// Changes nothing.
    package func take() -> StoreCheck {
        var check = StoreCheck(exists: store.exists())
        guard check.exists else { return check }
        do throws(StoreError) { try look(&check) } catch { check.failure = error }
        for task in tasks {
            var rule = StoreCheck.Rule()
            do throws(StoreError) {
                let view = try store.openView(control)
                defer { view.close() }
                do throws(StoreError) { try view.validate(task.rule) } catch { rule.misfit = error }
                // What is wrong with the store itself is told once.
                if check.failure == nil, rule.misfit == nil { rule.remarks = try remarks(on: task, view) }
            } catch {
                rule.failure = error
            }
            check.rules[task.rule.name] = rule
        }
        return check
    }

    private func look(_ check: inout StoreCheck) throws(StoreError) {
        try store.checkAccess()
        let view = try store.openView(control)
        defer { view.close() }
        check.unchecked = try view.verifyIntegrity(for: tasks.map(\.rule))
        check.versions = try view.knownSchema()
        check.disturbance = try view.disturbance()
    }

    /// Throws if a run of the rule would fail.
    private func remarks(
        on task: PruneTask, _ view: any ViewContext
    ) throws(StoreError) -> [String] {
        try UnitCheck(task: task, place: store.definition.place).check(view)
        try view.checkScans(of: task.rule)
        try view.checkMark(by: task)
        try view.checkReferences(to: task)
        return try TimeRemarks(task: task, sketching: sketching).take(from: view) + view.remarks(before: task)
    }
}
