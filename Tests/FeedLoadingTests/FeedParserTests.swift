import FeedLoading
import Foundation
import ReaderStore
import Testing

/// The articles of a feed at `https://feed.example/blog/feed`, as "title | address".
func articles(_ text: String) throws -> [String] { try articles(Data(text.utf8)) }

func articles(_ data: Data, contentType: String? = nil) throws -> [String] {
    let url = URL(string: "https://feed.example/blog/feed")
    return try FeedParser.articles(in: data, contentType: contentType, from: url)
        .map { "\($0.title) | \($0.url)" }
}

@Suite struct FeedParserTests {
    @Test func aJSONArrayIsRead() throws {
        let text = """
            [
              {"title": "First", "url": "https://a.example/1"},
              {"title": "  Two\\nlines\\tand \\u0007more ", "url": " /2 "},
              {"title": "AT&amp;T <b>", "url": null, "other": {"title": "no"}},
              {"url": "3?q=ü"}, {"title": 5, "url": ["x"]}, "no", null, {}
            ]
            """
        #expect(
            try articles(text) == [
                "First | https://a.example/1", "Two lines and more | https://feed.example/2",
                "AT&amp;T <b> | ",
                " | https://feed.example/blog/3?q=%C3%BC",
            ])
    }

    @Test(arguments: ["https://jsonfeed.org/version/1", "https://jsonfeed.org/version/1.1"])
    func aJSONFeedIsRead(version: String) throws {
        let text = """
            {"version": "\(version)", "title": "Blog", "home_page_url": "https://a.example/", "items": [
              {"id": "1", "title": "A", "url": "https://a.example/a", "external_url": "https://b.example/"},
              {"id": "2", "title": "", "external_url": "https://b.example/x", "content_text": "\\n  One  line\\nTwo"},
              {"id": "https://a.example/c", "content_html": "<p>C"},
              {"id": 4, "title": "D"}, {"id": "5", "content_html": "<p>E"}
            ]}
            """
        #expect(
            try articles(text) == [
                "A | https://a.example/a", "One line | https://b.example/x", " | https://a.example/c", "D | ",
            ])
    }

    @Test func rssIsRead() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <?xml-stylesheet href="style.xsl"?>
            <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/"
                xmlns:content="http://purl.org/rss/1.0/modules/content/">
              <channel>
                <title>Channel</title><link>https://a.example/</link>
                <atom:link href="https://a.example/feed" rel="self"/>
                <image><title>Image</title><link>https://a.example/i</link></image>
                <item>
                  <media:group><title>No</title><link>https://no.example/</link></media:group>
                  <media:title>No</media:title><atom:link href="https://no.example/"/>
                  <title>Tom &amp;amp; Jerry: <![CDATA[<em>The</em>
                     Movie]]></title>
                  <link>https://a.example/?a=1&amp;b=2</link>
                  <content:encoded><![CDATA[<title>No</title>]]></content:encoded>
                </item>
                <item><title>Guid</title><guid>https://a.example/g</guid></item>
                <item><title>No link</title><guid isPermaLink="false">https://a.example/n</guid></item>
                <item><title>Both</title><guid>https://a.example/no</guid><link>/both</link></item>
                <item><description>Neither</description><guid>tag:1</guid></item>
              </channel>
            </rss>
            """
        #expect(
            try articles(text) == [
                "Tom & Jerry: The Movie | https://a.example/?a=1&b=2", "Guid | https://a.example/g",
                "No link | ",
                "Both | https://feed.example/both",
            ])
    }

    @Test func olderRSSIsRead() throws {
        let old = """
            <!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN"
                "http://my.netscape.com/publish/formats/rss-0.91.dtd">
            <rss version="0.91"><channel><item><title>Caf&eacute;</title><link>/1</link></item></channel></rss>
            """
        let rdf = """
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
            <channel rdf:about="x"><title>C</title></channel>
            <item rdf:about="y"><title>B</title><link>/2</link></item></rdf:RDF>
            """
        #expect(
            try articles(old) + articles(rdf) == [
                "Café | https://feed.example/1", "B | https://feed.example/2",
            ])
    }

    @Test func atomIsRead() throws {
        let text = """
            <feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://b.example/x/">
              <title>Feed</title><link href="no"/>
              <entry><title>Text &lt;b> &amp;amp;</title><link rel="self" href="no"/><link href="a"/></entry>
              <entry xml:base="y/"><title type="html">&lt;i&gt;HTML&lt;/i&gt; &amp;amp; more</title>
                <link rel="enclosure" href="no.mp3"/><link rel="alternate" href="b"/><link href="no"/></entry>
              <entry><title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">X<b>HTM</b>L</div></title>
                <link xml:base="/z/" href="c"/><source><title>No</title><link href="no"/></source></entry>
              <a:entry xmlns:a="http://www.w3.org/2005/Atom"><a:title>Prefix</a:title><a:link href=""/></a:entry>
            </feed>
            """
        #expect(
            try articles(text) == [
                "Text <b> &amp; | https://b.example/x/a", "HTML & more | https://b.example/x/y/b",
                "XHTML | https://b.example/z/c", "Prefix | ",
            ])
    }

    @Test(arguments: [
        ("&amp;lt;b&amp;gt;", "<b>"), ("Vec&lt;T&gt; 1 &lt; 2", "Vec<T> 1 < 2"), ("a&lt;br/&gt;b", "a b"),
        ("&lt;a href='x'&gt;L&lt;/A&gt;", "L"), ("&lt;b", "<b"), ("&lt;&lt;b&gt;x", "<x"),
        ("it&amp;#8217;s &amp;#x1F600;", "it’s 😀"), ("&amp;#xD800; &amp;x; &amp;", "&#xD800; &x; &"),
        ("&#10; a &#xA0; b &#9;", "a b"), ("&amp;#27;[31m", "[31m"), ("", ""),
    ])
    func titlesInRSSArePlainTextInOneLine(title: String, expected: String) throws {
        let text = "<rss><channel><item><title>\(title)</title><link>/1</link></item></channel></rss>"
        #expect(try articles(text) == ["\(expected) | https://feed.example/1"])
    }

    @Test(arguments: [
        "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "mailto:a@b.c", "http://", "",
    ])
    func linksThatLeadOutOfTheWebAreLeftOut(link: String) throws {
        #expect(try articles("[{\"title\": \"A\", \"url\": \"\(link)\"}]") == ["A | "])
    }

    @Test func relativeLinksAreLeftOutWhereNoAddressIsKnown() throws {
        let data = Data(#"[{"title": "A", "url": "/a"}, {"url": "b"}]"#.utf8)
        #expect(try FeedParser.articles(in: data) == [Article(title: "A", url: "")])
    }

    @Test func noLinkShowsThePasswordOfTheFeed() throws {
        let data = Data(#"[{"title": "A", "url": "/a"}]"#.utf8)
        let feed = try FeedParser.articles(in: data, from: URL(string: "https://me:secret@feed.example/"))
        #expect(feed == [Article(title: "A", url: "https://feed.example/a")])
    }

    @Test(arguments: [
        "[]", "<rss/>", "<feed xmlns='http://www.w3.org/2005/Atom'/>",
        #"{"version": "https://jsonfeed.org/version/1", "items": []}"#,
        "\n<?xml version='1.0'?>\n<rss/>\n<!-- x -->",
        "<?x?><rss><m:a/><?y?></rss>",
    ])
    func aFeedMayBeEmpty(text: String) throws {
        #expect(try articles(text).isEmpty)
    }

    @Test func aHundredThousandArticlesAreRead() throws {
        let item = "<item><title>A &amp; B</title><link>/a</link></item>"
        let text = "<rss><channel>" + String(repeating: item, count: 100_000) + "</channel></rss>"
        #expect(try FeedParser.articles(in: Data(text.utf8)).count == 100_000)
    }
}
