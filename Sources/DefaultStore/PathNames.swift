/// Parts of a path as the kernel reads it. Foundation's functions crash for "." (seen with Swift 6.3).
extension String {
    /// The path without its last name: "/a" for "/a/b", "/" for "/a", and "" for "a".
    package var parentPath: String {
        let path = withoutSlashesAtEnd
        guard let slash = path.lastIndex(of: "/") else { return "" }
        let parent = path[..<slash]
        return parent.allSatisfy { $0 == "/" } ? "/" : String(parent)
    }

    /// The last name: "b" for "/a/b" and for "/a/b/".
    package var lastName: String {
        let path = withoutSlashesAtEnd
        return String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
    }

    private var withoutSlashesAtEnd: Substring {
        var path = self[...]
        while path.count > 1, path.last == "/" { path.removeLast() }
        return path
    }

    /// The path without empty names, "." and "..", as if it had no links.
    package var withoutDots: String {
        var names: [Substring] = []
        for name in split(separator: "/") where name != "." {
            if name == ".." { _ = names.popLast() } else { names.append(name) }
        }
        return (hasPrefix("/") ? "/" : "") + names.joined(separator: "/")
    }
}
