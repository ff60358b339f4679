import Foundation

/// A nameless file that takes what a program writes. A pipe that nobody empties would stop the program.
struct CapturedStream {
    let handle: FileHandle

    init() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "stream-\(UUID())")
        try Data().write(to: file)
        handle = try FileHandle(forUpdating: file)
        try FileManager.default.removeItem(at: file)
    }

    /// What was written so far, without white space at the end.
    func text() throws -> String {
        try handle.seek(toOffset: 0)
        let data = try handle.readToEnd() ?? Data()
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
