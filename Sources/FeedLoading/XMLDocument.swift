import CLibXML2
import Foundation

/// Walks through a document in XML with libxml2's reader, which never builds the whole tree.
///
/// libxml2 itself, because Foundation's `XMLParser` crashes where it should report: `<?x?>` in a feed is enough (seen
/// with Swift 6.3). Nothing is loaded from anywhere, no entity is resolved but those of XML itself, and libxml2's
/// limits on depth and size stay in force.
struct XMLDocument: ~Copyable {
    enum Event: Equatable {
        case start
        case text(String)
        case end
    }

    private let reader: xmlTextReaderPtr
    /// The reader does not copy it.
    private let text: UnsafeMutableBufferPointer<CChar>
    private var endsAfterStart = false
    private var events = 0
    private let isGivenUp: () -> Bool

    /// `text` is in UTF-8, whatever it says of itself. `isGivenUp` is asked again and again: libxml2 compares each
    /// element's namespace with all that are open, and who makes a feed can open many.
    init(_ text: Data, isGivenUp: @escaping () -> Bool = { false }) throws(ReadingFailure) {
        self.isGivenUp = isGivenUp
        _ = Self.once
        xmlResetLastError()
        self.text = .allocate(capacity: text.count)
        _ = text.copyBytes(to: UnsafeMutableRawBufferPointer(self.text))
        let options = [XML_PARSE_IGNORE_ENC, XML_PARSE_NONET, XML_PARSE_NOERROR, XML_PARSE_NOWARNING]
        guard
            let reader = xmlReaderForMemory(
                self.text.baseAddress, Int32(clamping: text.count), nil, "UTF-8",
                Int32(options.reduce(0) { $0 | $1.rawValue }))
        else {
            self.text.deallocate()
            throw .malformed("its XML cannot be read")
        }
        self.reader = reader
    }

    deinit {
        xmlFreeTextReader(reader)
        text.deallocate()
    }

    private static let once: Void = xmlInitParser()

    /// What comes next; nil after a whole document.
    mutating func next() throws(ReadingFailure) -> Event? {
        if endsAfterStart {
            endsAfterStart = false
            return .end
        }
        while true {
            events += 1
            if events.isMultiple(of: 1000), isGivenUp() { throw .tooLate }
            switch xmlTextReaderRead(reader) {
            case 0: return nil
            case 1: break
            default: throw failure
            }
            switch UInt32(xmlTextReaderNodeType(reader)) {
            case XML_READER_TYPE_ELEMENT.rawValue:
                endsAfterStart = xmlTextReaderIsEmptyElement(reader) == 1
                return .start
            case XML_READER_TYPE_END_ELEMENT.rawValue: return .end
            case XML_READER_TYPE_TEXT.rawValue, XML_READER_TYPE_CDATA.rawValue,
                XML_READER_TYPE_SIGNIFICANT_WHITESPACE.rawValue:
                return .text(string(xmlTextReaderConstValue(reader)) ?? "")
            case XML_READER_TYPE_ENTITY_REFERENCE.rawValue:
                // Of a document type that is elsewhere: most likely one of those that HTML has.
                return .text("&\(name);")
            case XML_READER_TYPE_DOCUMENT_TYPE.rawValue: try refuseEntities()
            default: break
            }
        }
    }

    /// The name of the current element, without a prefix.
    var name: String { string(xmlTextReaderConstLocalName(reader)) ?? "" }

    /// The namespace of the current element; "" if it is in none.
    var namespace: String { string(xmlTextReaderConstNamespaceUri(reader)) ?? "" }

    /// The value of an attribute of the current element: `rel`, `xml:base`.
    func attribute(_ name: String) -> String? {
        guard xmlTextReaderMoveToAttribute(reader, name) == 1 else { return nil }
        defer { xmlTextReaderMoveToElement(reader) }
        return string(xmlTextReaderConstValue(reader))
    }

    /// An entity can stand for a file of this machine, for another server, or for another entity a billion times
    /// over. No feed needs its own.
    private func refuseEntities() throws(ReadingFailure) {
        guard let node = xmlTextReaderCurrentNode(reader) else { return }
        let type = UnsafeRawPointer(node).assumingMemoryBound(to: xmlDtd.self).pointee
        if type.entities != nil || type.pentities != nil { throw Self.entities }
    }

    private static let entities = ReadingFailure.malformed(
        "it declares entities of its own, which are not resolved")

    /// What libxml2 stumbled over last on this thread.
    private var failure: ReadingFailure {
        guard let error = xmlGetLastError()?.pointee else {
            return .malformed("its XML is broken or incomplete")
        }
        if error.code == XML_ERR_ENTITY_LOOP.rawValue { return Self.entities }
        return .malformed("its XML is broken or incomplete at line \(error.line)")
    }

    private func string(_ text: UnsafePointer<xmlChar>?) -> String? {
        text.map { String(cString: $0) }
    }
}
