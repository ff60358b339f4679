/// What happens at one message between the program and the server, in whichever direction it goes.
enum MessageFault: String, CaseIterable {
    // The message does not arrive.
    /// Both ends see the connection end in its place.
    case cut
    /// Part of it arrives.
    case torn
    /// The client's system is told that the connection does not exist.
    case reset
    /// The receiver sees the end; what it sends still arrives.
    case halfClosed
    /// As ``cut``, and no new connection is accepted.
    case gone
    /// Nothing more comes on this connection, in this direction.
    case silent
    /// Nothing more comes on any connection, in any direction.
    case dead

    // It arrives.
    /// Both ends see the connection end after it.
    case cutAfter
    /// As ``cutAfter``, and no new connection is accepted.
    case goneAfter
    /// It comes late.
    case late
    /// It comes byte by byte.
    case slow

    // The server fails before it arrives.
    /// An administrator ends the server's process for the connection.
    case terminated
    /// The server's process for the connection is killed; the server recovers.
    case killed
    /// The server ends at once, and is there again.
    case restarted
    /// The server ends at once, and is there again after the run.
    case stopped

    /// Whether the program cannot notice, and has to be told to stop.
    var needsStop: Bool { self == .silent || self == .dead }
    /// Whether everything must be as without it.
    var isHarmless: Bool { self == .late || self == .slow }
    /// Whether nobody can be asked afterwards.
    var isolates: Bool { self == .gone || self == .goneAfter || self == .stopped }
}
