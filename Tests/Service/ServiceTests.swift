import Testing

/// What holds of the service on a real systemd. One container serves all these tests, one after the other.
@Suite("The service on a real systemd", .serialized, NeedsContainer())
struct ServiceTests {}
