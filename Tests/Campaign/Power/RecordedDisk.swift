import CCampaign
import Foundation
import TestSupport

/// A file system on a disk that records each write, each flush and what an app was told between them.
///
/// The disk is a file behind a loop device; the program `Disk` serves it. Loop devices say that they have a write cache,
/// so the file system flushes it as it would flush a real one.
final class RecordedDisk {
    /// Where the file system is mounted.
    let mountPoint: String
    /// What happened to the disk, and when the app was told what.
    let log: String
    private let directory: String
    private let server: RunningProgram
    private let marks: FileHandle

    /// Mounts a copy of `image` in `directory`, and records it in ``log``.
    init(
        copying image: String, fileSystem: FileSystem, at mountPoint: String, in directory: String,
        by program: String
    ) throws {
        (self.directory, self.mountPoint, log) = (directory, mountPoint, directory + "/log")
        try copySparsely(image, to: directory + "/image", in: directory)
        let served = directory + "/served"
        try FileManager.default.createDirectory(atPath: served, withIntermediateDirectories: false)
        server = try Program(tried: [program, directory + "/image", log, served], in: directory).start()
        while !FileManager.default.fileExists(atPath: served + "/disk") {
            guard server.errors.isEmpty else { throw PowerError(server.errors) }
            usleep(1000)
        }
        try fileSystem.mount(served + "/disk", at: mountPoint)
        guard let marks = FileHandle(forWritingAtPath: served + "/mark") else { throw PowerError("no marks") }
        self.marks = marks
    }

    /// Records `mark` after all that is on the disk by now.
    func record(_ mark: Mark) throws {
        try marks.write(contentsOf: JSONEncoder().encode(mark))
    }

    /// Unmounts it.
    func stop() throws {
        try marks.close()
        try unmount(mountPoint)
        try unmount(directory + "/served")
        let ended = try server.end()
        guard ended.status == 0 else { throw PowerError("the disk ended with \(ended)") }
        try FileManager.default.removeItem(atPath: directory + "/image")
    }
}

/// A kind of file system, and how it is made and mounted.
struct FileSystem {
    let name: String
    let megabytes: Int
    let making: [String]
    let options: String

    static let all = [
        FileSystem(
            name: "ext4", megabytes: 192, making: ["mkfs.ext4", "-q", "-F", "-b", "4096"],
            options: "data=ordered"),
        FileSystem(name: "xfs", megabytes: 300, making: ["mkfs.xfs", "-q", "-f"], options: "attr2"),
        FileSystem(
            name: "ext4", megabytes: 192, making: ["mkfs.ext4", "-q", "-F", "-b", "1024"],
            options: "data=writeback"),
        FileSystem(
            name: "xfs", megabytes: 300, making: ["mkfs.xfs", "-q", "-f", "-b", "size=1024"],
            options: "attr2"),
    ]

    /// Makes an empty one in a new file at `path`.
    func make(_ path: String, in directory: String) throws {
        try Tool.run(["truncate", "-s", "\(megabytes)M", path], in: directory)
        try Tool.run(making + [path], in: directory)
    }

    func mount(_ image: String, at mountPoint: String) throws {
        try Tool.run(["mount", "-t", name, "-o", "loop,\(options)", image, mountPoint], in: "/")
    }
}

func unmount(_ path: String) throws {
    var patience = 200
    while umount2(path, 0) != 0 {
        // Someone who looks at all mounts may hold it for an instant.
        guard errno == EBUSY, patience > 0 else { throw PowerError("cannot unmount \(path): errno \(errno)") }
        patience -= 1
        usleep(10_000)
    }
}

func copySparsely(_ from: String, to: String, in directory: String) throws {
    try Tool.run(["cp", "--sparse=always", from, to], in: directory)
}

/// A program of the system's, which must succeed.
enum Tool {
    static func run(_ line: [String], in directory: String) throws {
        let ended = try spawn(line, in: directory)
        guard ended.status == 0 else { throw PowerError("\(line.joined(separator: " ")): \(ended)") }
    }
}

/// The cut could not be tried.
struct PowerError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
