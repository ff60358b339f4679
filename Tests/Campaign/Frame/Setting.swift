import Foundation
import TestSupport

/// What all cases of a part have in common.
struct Setting: Sendable {
    /// The program that is attacked.
    let pruned: String
    /// The library that is preloaded into it to make its calls fail.
    let faults: String
    /// The library that is preloaded into it to set its clock.
    let clock: String
    let seed: UInt64
    /// Whether only a few seconds are spent.
    let isSlice: Bool
    /// Where the cases have their directories.
    let work: String
    /// Whether the directories of cases stay.
    let keeps: Bool

    init(pruned: String?, seed: UInt64, isSlice: Bool, work: String?, keeps: Bool) throws {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let programs = (own as NSString).deletingLastPathComponent
        self.pruned = pruned ?? programs + "/pruned"
        faults = programs + "/libFaults.so"
        clock = programs + "/libSetClock.so"
        self.seed = seed
        self.isSlice = isSlice
        let memory = "/dev/shm"
        let base =
            work
            ?? (FileManager.default.isWritableFile(atPath: memory)
                ? memory : FileManager.default.temporaryDirectory.path)
        self.work = base + "/campaign-\(getpid())"
        self.keeps = keeps
    }

    /// Random numbers of one case.
    func generator(_ number: Int) -> SeededGenerator {
        SeededGenerator(seed: seed &* 0x1_0000_0001 &+ UInt64(number))
    }
}
