import Testing

@testable import Pruning

struct StoredNumbersTests {
    @Test(
        "numbers that something here may have written are taken",
        arguments: [
            "{}", "[0, -1, 1.5, 1e-05, 999999999999999, 123456789012.123456789012345678]", "true", "false",
            "null",
            #"{"1e300": "12345678901234567890", "a\\": "\"1e9"}"#, #"{"a":1,"b":[2,3]}"#,
        ])
    func bounded(json: String) { #expect(StoredNumbers.areBounded(json.utf8)) }

    @Test(
        "numbers that nothing here can have meant are not",
        arguments: [
            "1e300", "-1e300", "[1E5]", "1e+5", "1.5e20", "1000000000000000", "-9223372036854775807",
            #"{"a": "x", "b": 9223372036854775807}"#, "[1,1e5]", "{\"a\":1e308}",
        ])
    func unbounded(json: String) { #expect(!StoredNumbers.areBounded(json.utf8)) }
}
