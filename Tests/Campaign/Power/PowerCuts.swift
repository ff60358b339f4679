import CCampaign
import Foundation
import TestSupport

/// The power is cut while pruned and an app work on a store.
///
/// Each case records once what reaches a disk below a file system, and when the app was told of what. Then it makes from
/// that many disks as a cut can leave them, mounts them, and looks. What is recorded depends on how the programs
/// interleave. So a finding leaves its recording, which `POWER_RECORDING` names to cut it again in the same places.
struct PowerCuts: Part {
    static let name = "power"
    static let aim = Aim(points: 2_000, unit: "cuts")
    private static let cuts = 25

    static var missing: String? {
        guard getuid() == 0 else { return "root" }
        guard FileManager.default.isReadableFile(atPath: "/dev/fuse"),
            FileManager.default.fileExists(atPath: "/dev/loop-control")
        else { return "/dev/fuse and loop devices" }
        return FileManager.default.fileExists(atPath: "/usr/sbin/mkfs.xfs") ? nil : "xfsprogs"
    }

    private let setting: Setting
    private let server: String

    init(_ setting: Setting) {
        self.setting = setting
        server = (setting.faults as NSString).deletingLastPathComponent + "/RecordedDisk"
    }

    func attempt(_ number: Int, in directory: String) throws -> Attempt {
        guard campaign_own_mounts() == 0 else { throw PowerError("no mounts of its own") }
        var generator = setting.generator(number)
        let fileSystem = FileSystem.all[number % FileSystem.all.count]
        let pruned = [
            setting.pruned, "--state-dir", PowerStore.state, "--config",
            try PowerStore.configuration(in: directory),
        ]
        var story = SeededGenerator(seed: generator.next())
        let store = PowerStore(by: &story)
        var attempt = Attempt(points: 0)
        var (image, log) = (directory + "/image-before", directory + "/log")
        if let kept = ProcessInfo.processInfo.environment["POWER_RECORDING"] {
            (image, log) = (kept + "/image-before", kept + "/log")
        } else {
            attempt.findings = try record(
                store, on: fileSystem, from: image, to: log, with: pruned, in: directory, by: story)
        }
        let recording = try Recording(of: log)
        guard let start = recording.place(of: .ready) else { throw PowerError("no store was made") }
        for cutNumber in 0..<(setting.isSlice ? 5 : Self.cuts) where attempt.findings.count < 3 {
            let cut = PowerCut(of: recording, after: start, by: &generator)
            // A name of its own: a loop device of the last one may still be held, and would be used again.
            let path = directory + "/image-cut-\(cutNumber)"
            defer { try? FileManager.default.removeItem(atPath: path) }
            try copySparsely(image, to: path, in: directory)
            try cut.apply(recording, to: path)
            try fileSystem.mount(path, at: "/srv")
            var after = AfterCut(
                cut, of: recording, with: pruned, in: directory, by: SeededGenerator(seed: generator.next()))
            let found: [String]
            do { found = try after.look() } catch { found = ["\(error)"] }
            try unmount("/srv")
            attempt.findings += found.map { "\(fileSystem.name), \(store), \(cut): \($0)" }
            attempt.points += 1
        }
        if !attempt.findings.isEmpty { try keep([image, log], of: number) }
        return attempt
    }

    /// Records a story. Returns what is wrong before any cut.
    private func record(
        _ store: PowerStore, on fileSystem: FileSystem, from image: String, to log: String,
        with pruned: [String], in directory: String, by generator: SeededGenerator
    ) throws -> [String] {
        try fileSystem.make(image, in: directory)
        let disk = try RecordedDisk(
            copying: image, fileSystem: fileSystem, at: "/srv", in: directory, by: server)
        let findings = Result {
            var story = try PowerStory(of: store, with: pruned, on: disk, in: directory, by: generator)
            return try story.tell()
        }
        try disk.stop()
        return try findings.get()
    }

    private func keep(_ files: [String], of number: Int) throws {
        let directory = FileManager.default.temporaryDirectory.path + "/power-\(setting.seed)-\(number)"
        try Tool.run(["mkdir", "-p", directory], in: "/")
        for file in files { try copySparsely(file, to: directory + "/", in: "/") }
        print("  the recording is in \(directory)")
    }
}
