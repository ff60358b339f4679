import CLibXML2
import Foundation

/// Reads an XML document sequentially with libxml2's reader, which never builds the whole tree.
///
/// It uses libxml2 directly, because Foundation's `XMLParser` crashes on some malformed feeds, for example on `<?x?>`
/// (seen with Swift 6.3). Nothing is loaded from elsewhere, only XML's own entities are resolved, and libxml2's limits
/// on depth and size apply.
struct XMLDocument: ~Copyable {
    enum Event: Equatable {
        case start
        case text(String)
        case end
    }

    private let reader: xmlTextReaderPtr
    /// Owned by this object, because the reader does not copy it.
    private let text: UnsafeMutableBufferPointer<CChar>
    private var endsAfterStart = false
    private var events = 0
    private let isGivenUp: () -> Bool

    /// Opens a document. `text` must be UTF-8; its declared encoding is ignored. `isGivenUp` is called repeatedly: libxml2
    /// compares each element's namespace with all that are open, and a hostile feed may open many.
    static func open(
        _ text: Data, isGivenUp: @escaping () -> Bool = { false }
    ) throws(ReadingFailure) -> XMLDocument {
        _ = once
        xmlResetLastError()
        let bytes = UnsafeMutableBufferPointer<CChar>.allocate(capacity: text.count)
        _ = text.copyBytes(to: UnsafeMutableRawBufferPointer(bytes))
        let options = [XML_PARSE_IGNORE_ENC, XML_PARSE_NONET, XML_PARSE_NOERROR, XML_PARSE_NOWARNING]
        let reader = xmlReaderForMemory(
            bytes.baseAddress, Int32(clamping: text.count), nil, "UTF-8",
            Int32(options.reduce(0) { $0 | $1.rawValue }))
        guard let reader else {
            bytes.deallocate()
            throw .malformed("its XML cannot be read")
        }
        return XMLDocument(owning: reader, of: bytes, isGivenUp: isGivenUp)
    }

    /// It cannot fail: what fails must not leave a value that is half made, with a `deinit` that frees the rest.
    private init(
        owning reader: xmlTextReaderPtr, of text: UnsafeMutableBufferPointer<CChar>,
        isGivenUp: @escaping () -> Bool
    ) {
        (self.reader, self.text, self.isGivenUp) = (reader, text, isGivenUp)
    }

    deinit {
        xmlFreeTextReader(reader)
        text.deallocate()
    }

    private static let once: Void = xmlInitParser()

    /// The next event; nil after a complete document.
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
                // The reference is to an entity of an external document type, most likely one of HTML's.
                return .text("&\(name);")
            case XML_READER_TYPE_DOCUMENT_TYPE.rawValue: try refuseEntities()
            default: break
            }
        }
    }

    /// The name of the current element, without a prefix.
    var name: String { string(xmlTextReaderConstLocalName(reader)) ?? "" }

    /// The namespace of the current element; "" if it has none.
    var namespace: String { string(xmlTextReaderConstNamespaceUri(reader)) ?? "" }

    /// The value of an attribute of the current element, such as `rel` or `xml:base`.
    func attribute(_ name: String) -> String? {
        guard xmlTextReaderMoveToAttribute(reader, name) == 1 else { return nil }
        defer { xmlTextReaderMoveToElement(reader) }
        return string(xmlTextReaderConstValue(reader))
    }

    /// Refuses declared entities. An entity can refer to a file of this machine, to another server, or to another
    /// entity a billion times. No feed needs its own entities.
    private func refuseEntities() throws(ReadingFailure) {
        guard let node = xmlTextReaderCurrentNode(reader) else { return }
        let type = UnsafeRawPointer(node).assumingMemoryBound(to: xmlDtd.self).pointee
        if type.entities != nil || type.pentities != nil { throw Self.entities }
    }

    private static let entities = ReadingFailure.malformed(
        "it declares entities of its own, which are not resolved")

    /// libxml2's last error on this thread.
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
