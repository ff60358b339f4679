import Pruning

/// What a worker process has told of what its run is at.
struct ToldSigns {
    private var last = RunControl.Signs()
    private var isWorkTold = false

    /// What to tell after these signs: that there is progress, and work that has lasted since the last time. Most work
    /// is shorter, and nobody is told of it.
    mutating func next(_ signs: RunControl.Signs) -> [WorkerMessage] {
        defer { last = signs }
        var messages: [WorkerMessage] = []
        if signs.beats != last.beats { messages.append(.alive) }
        let isSame = signs.changes == last.changes
        if isWorkTold, !isSame {
            messages.append(.at(nil))
            isWorkTold = false
        } else if !isWorkTold, isSame, signs.work != nil {
            messages.append(.at(signs.work))
            isWorkTold = true
        }
        return messages
    }
}
