import Foundation
import ReaderStore

/// What a stream tells, until it is enough, or the stream ends; nil when neither is so within a deadline.
func changes(
    of stream: AsyncStream<StoreChange>, until isEnough: @escaping @Sendable ([StoreChange]) -> Bool
) async -> [StoreChange]? {
    await withTaskGroup(of: [StoreChange]?.self) { group in
        group.addTask {
            var changes: [StoreChange] = []
            for await change in stream {
                changes.append(change)
                if isEnough(changes) { break }
            }
            return changes
        }
        group.addTask {
            try? await Task.sleep(for: .seconds(20))
            return nil
        }
        defer { group.cancelAll() }
        return await group.next() ?? nil
    }
}

/// The rows that a table has, as the last of the changes that concern it says.
func rows(of table: ReaderTable, after changes: [StoreChange]) -> Int? {
    changes.last { $0.tables[table] != nil }?.tables[table]?.after
}
