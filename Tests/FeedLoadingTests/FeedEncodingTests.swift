import FeedLoading
import Foundation
import Testing

@Suite struct FeedEncodingTests {
    private func rss(_ title: String, declared encoding: String? = nil) -> String {
        let declaration = encoding.map { "<?xml version='1.0' encoding='\($0)'?>" } ?? ""
        return declaration + "<rss><channel><item><title>\(title)</title></item></channel></rss>"
    }

    @Test(arguments: [
        ("ISO-8859-1", String.Encoding.isoLatin1, "été"), ("windows-1252", .windowsCP1252, "“été” €"),
        ("Shift_JIS", .shiftJIS, "日本"), ("utf-8", .utf8, "日本 😀"),
        ("UTF-16", .utf16, "日本 😀"), ("UTF-16", .utf16BigEndian, "日本 😀"),
        ("UTF-16", .utf16LittleEndian, "日本 😀"),
    ])
    func xmlIsReadInTheEncodingThatItDeclares(name: String, encoding: String.Encoding, title: String) throws {
        let data = try #require(rss(title, declared: name).data(using: encoding))
        #expect(try articles(data) == ["\(title) | "])
    }

    @Test func aByteOrderMarkIsBelievedFirst() throws {
        let data = Data([0xEF, 0xBB, 0xBF]) + Data(rss("é", declared: "ISO-8859-1").utf8)
        #expect(try articles(data, contentType: "text/xml; charset=utf-16") == ["é | "])
        #expect(try articles(Data([0xEF, 0xBB, 0xBF]) + Data(#"[{"title": "é"}]"#.utf8)) == ["é | "])
    }

    @Test func theDeclarationIsBelievedBeforeTheContentType() throws {
        let data = Data(rss("é", declared: "UTF-8").utf8)
        #expect(try articles(data, contentType: "text/xml; charset=iso-8859-1") == ["é | "])
    }

    @Test(arguments: ["text/xml;charset=ISO-8859-1", "text/xml; Charset=\"iso-8859-1\"; x=y"])
    func theContentTypeIsBelievedWhereNothingIsDeclared(type: String) throws {
        let data = try #require(rss("é").data(using: .isoLatin1))
        #expect(try articles(data, contentType: type) == ["é | "])
    }

    @Test func brokenTextIsAnErrorThatSaysWhere() throws {
        let broken: [(Data, String)] = [
            (
                Data(rss("a").utf8.prefix(27)) + Data([0xE9]) + Data("</title></item></channel></rss>".utf8),
                "27 is not UTF-8"
            ),
            (Data("<!-- ".utf8) + Data([0xC3, 0x28]) + Data(" --><rss/>".utf8), "5 is not UTF-8"),
            (Data("[\"".utf8) + Data([0xED, 0xA0, 0x80]) + Data("\"]".utf8), "2 is not UTF-8"),
            (Data([0xFE, 0xFF, 0x00, 0x3C, 0xD8, 0x00, 0x00, 0x3C]), "4 is not UTF-16BE"),
            (Data("<?xml version='1.0' encoding='Shift_JIS'?>".utf8) + Data([0x81]), "42 is not Shift_JIS"),
        ]
        for (data, cause) in broken {
            let error = try #require(throws: FeedError.self) { try articles(data) }
            #expect(error.kind == .encoding)
            #expect(error.cause == "byte \(cause), the encoding that it is in")
        }
    }

    @Test func anUnknownEncodingIsAnErrorThatNamesIt() throws {
        let data = Data(rss("A", declared: "klingon").utf8)
        let error = try #require(throws: FeedError.self) { try articles(data) }
        #expect(error.cause == "its encoding, klingon, is not known here")
    }

    @Test(arguments: ["UTF-8//IGNORE", "../../x", "", "UTF-8\u{0}"])
    func whatIsNoNameOfAnEncodingIsAnError(name: String) {
        #expect(throws: FeedError.self) { try articles(Data(rss("A", declared: name).utf8)) }
    }
}
