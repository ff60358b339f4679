/// Parts of a path as the kernel reads it. Foundation's end the process for "." (seen with Swift 6.3).
extension String {
    /// Without its last name: "/a" of "/a/b", "/" of "/a", and "" of "a".
    package var parentPath: String {
        let path = withoutSlashesAtEnd
        guard let slash = path.lastIndex(of: "/") else { return "" }
        let parent = path[..<slash]
        return parent.allSatisfy { $0 == "/" } ? "/" : String(parent)
    }

    /// Its last name: "b" of "/a/b" and of "/a/b/".
    package var lastName: String {
        let path = withoutSlashesAtEnd
        return String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
    }

    private var withoutSlashesAtEnd: Substring {
        var path = self[...]
        while path.count > 1, path.last == "/" { path.removeLast() }
        return path
    }

    /// Without empty names, "." and "..", as if there were no links.
    package var withoutDots: String {
        var names: [Substring] = []
        for name in split(separator: "/") where name != "." {
            if name == ".." { _ = names.popLast() } else { names.append(name) }
        }
        return (hasPrefix("/") ? "/" : "") + names.joined(separator: "/")
    }
}
