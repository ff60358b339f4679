/// Which SQL a client has executed, also where it was prepared before.
struct SentStatements {
    private var prepared: [String: String] = [:]
    private var portals: [String: String] = [:]

    /// The SQL that this message of a client has executed; nil when it executes none.
    mutating func executed(by message: ProtocolFrames.Message) -> String? {
        switch message.kind {
        case "Q": return message.strings(1).first
        case "P":
            let strings = message.strings(2)
            if strings.count == 2 { prepared[strings[0]] = strings[1] }
        case "B":
            let strings = message.strings(2)
            if strings.count == 2 { portals[strings[0]] = prepared[strings[1]] }
        case "E": return message.strings(1).first.flatMap { portals[$0] }
        default: break
        }
        return nil
    }
}
