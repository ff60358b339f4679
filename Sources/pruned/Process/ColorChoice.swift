import ArgumentParser

/// When to use colours.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
    /// On a terminal, unless `NO_COLOR` is set (https://no-color.org).
    case auto
    case always
    case never
}
