import Glibc
import Pruning
import Retention
import SQLite

/// The files that a pattern matches. Whoever may make files there chooses what is found, so no link is followed.
package struct MatchingFiles {
    private let pattern: FamilyPattern

    /// The pattern is an absolute path.
    package init(_ pattern: FamilyPattern) { self.pattern = pattern }

    /// Throws if the directory cannot be read. One that is not there has no files.
    package func found() throws(StoreError) -> FoundStores {
        let (path, names, below) = pattern.path
        let directory: StoreDirectory
        do throws(PathRefusal) { directory = try StoreDirectory.open(path) } catch {
            if case .system(ENOENT) = error { return FoundStores() }
            throw StoreError(error, onTheWayTo: path)
        }
        guard let all = directory.names() else {
            throw .system(errno, operation: "look for stores", place: path)
        }
        var found = FoundStores()
        for name in all {
            guard let text = names?.matched(in: name) else { continue }
            var (file, kind) = (name, directory.facts(name))
            var code = errno
            for next in below where kind?.isDirectory == true {
                file += "/" + next
                kind = directory.facts(file)
                code = errno
            }
            let isWhole = file == ([name] + below).joined(separator: "/")
            switch kind {
            case let facts? where facts.isLink:
                found.refused.append("\(path)\(file) is a symbolic link")
            case let facts? where isWhole && !facts.isDirectory && !facts.isRegular:
                found.refused.append("\(path)\(file) is not a regular file")
            case let facts? where isWhole && facts.isRegular && facts.links != 1:
                found.refused.append(
                    "\(path)\(file) has \(facts.links) names, so its app's log and locks may be beside another one"
                )
            case let facts? where isWhole && facts.isRegular: found.members.append(text)
            case nil where code != ENOENT && code != ENOTDIR:
                found.refused.append("\(path)\(file): \(String(cString: strerror(code)))")
            default: break
            }
        }
        return found
    }
}
