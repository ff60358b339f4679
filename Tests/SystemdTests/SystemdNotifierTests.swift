import Foundation
import Systemd
import TestSupport
import Testing

/// Each notifier runs in a process of its own: the environment belongs to the whole process, and changing it
/// while other tests run would not be safe.
struct SystemdNotifierTests {
    @Test("the states of one call arrive together, in one datagram")
    func statesArriveTogether() async throws {
        let socket = try NotifySocket()
        await #expect(processExitsWith: .success) { [path = socket.path as String] in
            setenv("NOTIFY_SOCKET", path, 1)
            SystemdNotifier().notify([.ready, .status("one\ntwo")])
            SystemdNotifier().notify([.reloading(monotonicMicroseconds: 7)])
            SystemdNotifier().notify([.stopping])
        }
        #expect(try socket.receive() == "READY=1\nSTATUS=one\\ntwo")
        #expect(try socket.receive() == "RELOADING=1\nMONOTONIC_USEC=7")
        #expect(try socket.receive() == "STOPPING=1")
        #expect(try socket.receive(seconds: 0) == nil)
    }

    @Test("notifications from several threads all arrive whole")
    func notifiesFromAnyThread() async throws {
        let socket = try NotifySocket()
        // No more than the kernel queues for a receiver that is not reading (net.unix.max_dgram_qlen).
        await #expect(processExitsWith: .success) { [path = socket.path as String] in
            setenv("NOTIFY_SOCKET", path, 1)
            DispatchQueue.concurrentPerform(iterations: 8) { SystemdNotifier().notify([.status("\($0)")]) }
        }
        let received = try (0..<8).compactMap { _ in try socket.receive() }
        #expect(Set(received) == Set((0..<8).map { "STATUS=\($0)" }))
    }

    @Test("without a service manager nothing happens", arguments: [nil, "/nowhere/notify"])
    func nobodyListens(path: String?) async {
        await #expect(processExitsWith: .success) { [path = path as String?] in
            if let path { setenv("NOTIFY_SOCKET", path, 1) } else { unsetenv("NOTIFY_SOCKET") }
            SystemdNotifier().notify([.ready])
        }
    }
}
