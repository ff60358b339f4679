import Foundation
import Synchronization

/// A proxy before a server, on a socket of its own, that can cut a connection at a chosen statement.
///
/// It serves until this process ends, because it is unknown when the last client is done.
package final class CuttingProxy: Sendable {
    /// What happens to the statement, and with it to its connection.
    package enum Fault: Sendable, Equatable {
        /// The server never sees it.
        case before
        /// The server sees it, and nobody waits for its answer.
        case inFlight
        /// The server has done it, and the client gets no answer.
        case afterAnswer
        /// The server has done it, and the client gets half an answer.
        case inAnswer
        /// The server has done it, and the connection stays, silent.
        case silence
    }

    /// The statement that is meant: the one of this number, from 1 on, for which `matches` is true.
    package struct Point: Sendable {
        let fault: Fault
        let number: Int
        let matches: @Sendable (String) -> Bool

        package init(
            _ fault: Fault, number: Int = 1,
            matches: @escaping @Sendable (String) -> Bool = CuttingProxy.commits
        ) {
            (self.fault, self.number, self.matches) = (fault, number, matches)
        }
    }

    struct State {
        var points: [Point] = []
        /// How many statements each point has matched.
        var seen: [Int] = []
        var cuts = 0
        var connections = 0
        var refuses = false
        var refusesAfterCut = false
        var delay: useconds_t = 0
        var statements: [String] = []
    }

    private let directory: ServerDirectory
    private let target: String
    let state = Mutex(State())

    package init(before server: PostgreSQLServer, _ points: [Point] = []) throws {
        directory = try ServerDirectory()
        target = server.socketDirectory + "/.s.PGSQL.\(server.port)"
        state.withLock { $0.arm(points) }
        let listener = try UnixSocket.listen(at: directory.path + "/.s.PGSQL.5432")
        Thread.detachNewThread { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 { serve(client) }
        }
    }

    private func serve(_ client: Int32) {
        let refuses = state.withLock { state in
            state.connections += 1
            return state.refuses
        }
        guard !refuses, let server = try? UnixSocket.connect(to: target) else {
            close(client)
            return
        }
        ProxiedConnection(self, client: client, server: server).begin()
    }

    /// A connection URI through it.
    package func url(database: String, user: String = "postgres") -> String {
        PostgreSQLServer.url(in: directory.path, port: 5432, database: database, user: user)
            + "&sslmode=disable&gssencmode=disable"
    }

    /// Chooses other points; the statements are counted anew.
    package func cut(at points: Point...) { state.withLock { $0.arm(points) } }

    /// How often it has done something to a connection.
    package var cuts: Int { state.withLock(\.cuts) }
    /// How many connections were made to it.
    package var connections: Int { state.withLock(\.connections) }
    /// The statements that the clients have sent, in order.
    package var statements: [String] { state.withLock(\.statements) }

    /// Whether it closes new connections at once.
    package func refuse(_ refuses: Bool) { state.withLock { $0.refuses = refuses } }

    /// Whether it closes new connections once it has cut one.
    package func refuse(afterCut refuses: Bool) { state.withLock { $0.refusesAfterCut = refuses } }

    /// How long each piece of an answer is held back.
    package func delay(microseconds: Int) { state.withLock { $0.delay = useconds_t(microseconds) } }

    /// Whether a command of `sql` is a COMMIT.
    @Sendable package static func commits(_ sql: String) -> Bool {
        sql.split(separator: ";").contains { command in
            let words = command.split { $0.isWhitespace }.map { $0.uppercased() }
            return words.first == "COMMIT" || words.first == "END"
        }
    }
}

extension CuttingProxy.State {
    mutating func arm(_ points: [CuttingProxy.Point]) {
        self.points = points
        seen = points.map { _ in 0 }
    }

    /// What is to be done to a statement that a client has sent.
    mutating func fault(at sql: String) -> CuttingProxy.Fault? {
        statements.append(sql)
        var fault: CuttingProxy.Fault?
        for (index, point) in points.enumerated() where point.matches(sql) {
            seen[index] += 1
            if seen[index] == point.number { fault = fault ?? point.fault }
        }
        if fault != nil {
            cuts += 1
            refuses = refuses || refusesAfterCut
        }
        return fault
    }
}
