import Retention
import Testing

struct ByteCountTests {
    @Test(
        "a size is a whole number and a unit, and is written in the largest that says it exactly",
        arguments: [
            ("1B", 1, "1B"), ("999B", 999, "999B"), ("1000B", 1_000, "1kB"), ("1500 kB", 1_500_000, "1500kB"),
            ("2000MB", 2_000_000_000, "2GB"), ("9GB", 9_000_000_000, "9GB"),
        ])
    func reads(text: String, bytes: Int64, written: String) {
        #expect(ByteCount(text) == ByteCount(bytes))
        #expect(ByteCount(bytes).description == written)
    }

    @Test(
        "anything else is no size",
        arguments: [
            "", "1", "GB", "0B", "-1B", "1.5GB", "1KB", "1gb", "1 GB ", "1TB", "9223372036854775808B",
            "9223372037GB", "٣B",
        ])
    func refuses(text: String) {
        #expect(ByteCount(text) == nil)
    }
}
