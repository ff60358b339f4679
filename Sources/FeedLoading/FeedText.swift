import Foundation

/// Converts a document from its encoding to valid UTF-8.
enum FeedText {
    /// The document in UTF-8, without a byte order mark.
    static func utf8(_ data: Data, contentType: String?) throws(ReadingFailure) -> Data {
        let (name, mark) = encoding(of: data, contentType: contentType)
        let body = data.dropFirst(mark)
        if ["utf-8", "utf8", "us-ascii", "ascii"].contains(name.lowercased()) {
            guard let valid = firstInvalid(body) else { return Data(body) }
            throw .encoding("byte \(mark + valid) is not \(name), the encoding that it is in")
        }
        return try converted(Data(body), from: name, offset: mark)
    }

    /// The name of the encoding, and the length of the byte order mark.
    private static func encoding(of data: Data, contentType: String?) -> (name: String, mark: Int) {
        let head = Array(data.prefix(4))
        if head.starts(with: [0xEF, 0xBB, 0xBF]) { return ("UTF-8", 3) }
        if head.starts(with: [0xFE, 0xFF]) { return ("UTF-16BE", 2) }
        if head.starts(with: [0xFF, 0xFE]) { return ("UTF-16LE", 2) }
        if head.starts(with: [0x00, 0x3C]) { return ("UTF-16BE", 0) }
        if head.starts(with: [0x3C, 0x00]) { return ("UTF-16LE", 0) }
        return (declared(in: data) ?? charset(of: contentType) ?? "UTF-8", 0)
    }

    /// The encoding in the XML declaration. This is at the very start, and all encodings that get here write it in
    /// ASCII.
    private static func declared(in data: Data) -> String? {
        let head = String(decoding: data.prefix(200), as: UTF8.self)
        let pattern = #/^\s*<\?xml\s[^>]*?encoding\s*=\s*["'](?<name>[A-Za-z][A-Za-z0-9._\-]*)["']/#
        return head.firstMatch(of: pattern).map { String($0.name) }
    }

    private static func charset(of contentType: String?) -> String? {
        let pattern = #/;\s*charset\s*=\s*"?(?<name>[A-Za-z][A-Za-z0-9._\-]*)/#.ignoresCase()
        return contentType?.firstMatch(of: pattern).map { String($0.name) }
    }

    /// The offset of the first byte that is not valid UTF-8; nil when there is none.
    private static func firstInvalid(_ data: Data) -> Int? {
        // The fast check first: it is nearly always enough.
        guard String(validating: data, as: UTF8.self) == nil else { return nil }
        var decoder = UTF8()
        var bytes = CountingIterator(data)
        while true {
            let start = bytes.count
            switch decoder.decode(&bytes) {
            case .scalarValue: continue
            case .emptyInput, .error: return start
            }
        }
    }

    private static func converted(_ data: Data, from name: String, offset: Int) throws(ReadingFailure) -> Data
    {
        guard let converter = iconv_open("UTF-8", name), converter != iconv_t(bitPattern: -1) else {
            throw .encoding("its encoding, \(name.prefix(40)), is not known here")
        }
        defer { iconv_close(converter) }
        var input = [CChar](unsafeUninitializedCapacity: data.count) { buffer, count in
            count = data.copyBytes(to: UnsafeMutableRawBufferPointer(buffer))
        }
        // A character of one or two bytes has at most three bytes in UTF-8, a longer one at most four.
        var output = [CChar](repeating: 0, count: data.count * 3 + 16)
        let (result, left, unused) = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                var from = source.baseAddress, to = target.baseAddress
                var left = source.count, unused = target.count
                let result = iconv(converter, &from, &left, &to, &unused)
                return (result, left, unused)
            }
        }
        guard result != -1 else {
            throw .encoding("byte \(offset + data.count - left) is not \(name), the encoding that it is in")
        }
        return output.withUnsafeBytes { Data($0.prefix(output.count - unused)) }
    }
}

/// Counts the elements taken from a collection.
private struct CountingIterator<Base: Collection>: IteratorProtocol {
    private var base: Base.Iterator
    private(set) var count = 0

    init(_ base: Base) { self.base = base.makeIterator() }

    mutating func next() -> Base.Element? {
        defer { count += 1 }
        return base.next()
    }
}
