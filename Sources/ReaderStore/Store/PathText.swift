/// Parts of a path as the kernel reads it. Foundation's end the process for "." (seen with Swift 6.3).
extension String {
    /// Without its last name: "/a" of "/a/b", "/" of "/a", and "" of "a".
    var parentPath: String {
        let path = withoutSlashesAtEnd
        guard let slash = path.lastIndex(of: "/") else { return "" }
        let parent = path[..<slash]
        return parent.allSatisfy { $0 == "/" } ? "/" : String(parent)
    }

    /// Its last name: "b" of "/a/b" and of "/a/b/".
    var lastName: String {
        let path = withoutSlashesAtEnd
        return String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
    }

    private var withoutSlashesAtEnd: Substring {
        var path = self[...]
        while path.count > 1, path.last == "/" { path.removeLast() }
        return path
    }
}
