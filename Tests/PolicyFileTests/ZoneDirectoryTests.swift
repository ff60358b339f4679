import Foundation
import Retention
import TestSupport
import Testing

@testable import PolicyFile

struct ZoneDirectoryTests {
    private let directory = ZoneDirectory.system

    @Test(
        "a name that leads out of the directory, or to what is no zone, is none",
        arguments: [
            "../zoneinfo/Europe/Berlin", "Europe/../Europe/Berlin", "/usr/share/zoneinfo/Europe/Berlin",
            "Europe/",
            "/Europe/Berlin", "Europe//Berlin", "./Europe/Berlin", "Europe", "", "Europe/Berlin\0",
            "Europe/Berlin\n",
            "Europe/Bérlin", "zone.tab", "tzdata.zi", "right/Europe/Berlin", "Europe/Atlantis",
            String(repeating: "a/", count: 10_000),
        ])
    func hostileNames(name: String) { #expect(directory.zone(named: name) == nil) }

    @Test(
        "the variable TZ names the zone as programs of C take it",
        arguments: [
            ("Asia/Tokyo", "Asia/Tokyo", 32_400), (":Asia/Tokyo", "Asia/Tokyo", 32_400),
            ("/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo", 32_400), ("JST-9", "JST-9", 32_400),
            ("", "GMT", 0),
            ("Nowhere/At_all", "GMT", 0), ("UTC", "GMT", 0), ("Etc/UTC", "Etc/UTC", 0),
            ("../../etc/localtime", "GMT", 0),
        ])
    func variable(value: String, identifier: String, offset: Int) {
        let zone = directory.current(environment: ["TZ": value], etc: "/nowhere")
        #expect(zone.identifier == identifier)
        #expect(zone.offset(at: .now) == offset)
    }

    @Test("without the variable, it is the one that /etc/localtime leads to; UTC without either")
    func link() throws {
        let etc = try TemporaryDirectory()
        #expect(directory.current(environment: [:], etc: etc.path).identifier == "GMT")
        let localtime = etc.path + "/localtime"
        try FileManager.default.createSymbolicLink(
            atPath: localtime, withDestinationPath: "/usr/share/zoneinfo/Asia/Tokyo")
        #expect(directory.current(environment: [:], etc: etc.path).identifier == "Asia/Tokyo")
        #expect(
            directory.current(environment: ["TZ": ":" + localtime], etc: etc.path).identifier == "Asia/Tokyo")
        try FileManager.default.removeItem(atPath: localtime)
        try FileManager.default.createSymbolicLink(
            atPath: localtime, withDestinationPath: "../usr/share/zoneinfo/Asia/Tokyo")
        #expect(directory.current(environment: [:], etc: etc.path).identifier == "Asia/Tokyo")
    }

    @Test("where /etc/localtime is a file of its own, it is named by /etc/timezone")
    func copy() throws {
        let etc = try TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: "/usr/share/zoneinfo/Asia/Tokyo", toPath: etc.path + "/localtime")
        let nameless = directory.current(environment: [:], etc: etc.path)
        #expect(nameless.identifier == "localtime")
        #expect(nameless.offset(at: .now) == 32_400)
        try Data("Asia/Tokyo\n".utf8).write(to: URL(filePath: etc.path + "/timezone"))
        #expect(directory.current(environment: [:], etc: etc.path).identifier == "Asia/Tokyo")
    }
}
