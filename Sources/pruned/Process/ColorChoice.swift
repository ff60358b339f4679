import ArgumentParser

/// When colours are shown.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
    /// To a person at a terminal who has not set `NO_COLOR` (https://no-color.org).
    case auto
    case always
    case never
}
