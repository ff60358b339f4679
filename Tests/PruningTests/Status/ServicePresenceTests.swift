import Foundation
import Pruning
import Retention
import TestSupport
import Testing

/// Whether a service is seen to run on a state directory.
struct ServicePresenceTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var isSeen: Bool? { ServicePresence.isSeen(stateDirectory: directory.path) }

    @Test("it is seen for as long as it lasts, and leaves no file")
    func seen() throws {
        #expect(isSeen == false)
        do {
            let presence = ServicePresence(stateDirectory: directory.path)
            try #require(presence != nil)
            #expect(isSeen == true)
            #expect(try directory.entries == [])
            withExtendedLifetime(presence) {}
        }
        #expect(isSeen == false)
    }

    @Test("it outlasts whatever else is done in the directory, and is in nobody's way")
    func beside() throws {
        let presence = ServicePresence(stateDirectory: directory.path)
        let second = ServicePresence(stateDirectory: directory.path)
        let history = RunHistory(stateDirectory: directory.path)
        try history.append([.refused("no", hint: nil, at: runStart, by: Reports.hand)])
        #expect(try history.entries().count == 1)
        #expect(isSeen == true)
        #expect(isSeen == true, "to look is no end of it")
        withExtendedLifetime((presence, second)) {}
    }

    @Test("where there is no such directory, nothing is said")
    func missing() {
        #expect(ServicePresence.isSeen(stateDirectory: directory.path + "/none") == nil)
        #expect(ServicePresence(stateDirectory: directory.path + "/none") == nil)
    }
}
