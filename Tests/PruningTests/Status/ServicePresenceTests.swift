import Foundation
import Ledger
import Pruning
import Retention
import TestSupport
import Testing

/// Whether a service is seen to run on a state directory.
struct ServicePresenceTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        // The mark is on it.
        try Ledger(stateDirectory: directory.path).prepare()
    }

    private var isSeen: Bool? { ServicePresence.isSeen(stateDirectory: directory.path) }

    @Test("it is seen for as long as it lasts, and leaves no file")
    func seen() throws {
        #expect(isSeen == false)
        do {
            let presence = try ServicePresence(stateDirectory: directory.path)
            try #require(presence != nil)
            #expect(isSeen == true)
            #expect(try directory.entries == ["ledger"])
            withExtendedLifetime(presence) {}
        }
        #expect(isSeen == false)
    }

    @Test("it outlasts whatever else is done in the directory, and is in nobody's way")
    func beside() throws {
        let presence = try ServicePresence(stateDirectory: directory.path)
        let history = Ledger(stateDirectory: directory.path)
        try history.append([.refused("no", hint: nil, at: runStart, by: Reports.hand)])
        #expect(try history.entries().count == 1)
        #expect(isSeen == true)
        #expect(isSeen == true, "to look is no end of it")
        withExtendedLifetime(presence) {}
    }

    @Test("there is one at a time, and the next as soon as it is gone")
    func second() throws {
        do {
            let presence = try ServicePresence(stateDirectory: directory.path)
            let error = #expect(throws: StoreError.self) {
                try ServicePresence(stateDirectory: directory.path)
            }
            #expect(error?.kind == .busy && error?.hint != nil)
            #expect(isSeen == true, "who was refused takes nothing away")
            withExtendedLifetime(presence) {}
        }
        #expect(try ServicePresence(stateDirectory: directory.path) != nil)
    }

    @Test("of many that start at once exactly one serves")
    func race() async throws {
        let path = directory.path
        let presences = await withTaskGroup(of: ServicePresence?.self) { group in
            for _ in 0..<20 { group.addTask { try? ServicePresence(stateDirectory: path) } }
            var all: [ServicePresence] = []
            for await presence in group { presence.map { all.append($0) } }
            return all
        }
        #expect(presences.count == 1)
    }

    @Test("where there is no such directory, nothing is said")
    func missing() throws {
        #expect(ServicePresence.isSeen(stateDirectory: directory.path + "/none") == nil)
        #expect(try ServicePresence(stateDirectory: directory.path + "/none") == nil)
    }
}
