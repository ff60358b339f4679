import ArgumentParser
import TerminalText

/// How much a screen shows of stores and their rules.
enum ScreenLength {
    /// Everything; what is the same in stores of a family once.
    case all
    /// Everything, each store by itself.
    case each
    /// A summary, and what needs a person.
    case problems
    /// The same, because there are many stores and nobody asked for all of them.
    case cut

    /// So many stores with their rules fit on a few screens.
    private static let mostStores = 20

    static let help = ArgumentHelp(
        "All stores and rules. Of more than \(mostStores) stores, only the summary and what needs a person are shown without it."
    )

    init(ofStores stores: Int, all: Bool) { self = all ? .each : stores <= Self.mostStores ? .all : .cut }

    /// Whether nothing is left out.
    var isWhole: Bool { self == .all || self == .each }

    /// What is said of the rest, as lines; empty if nobody has to be told.
    func remark(_ style: TextStyle) -> [String] {
        self == .cut
            ? style.fitted("only what needs a person is shown; --all shows all stores and rules") : []
    }
}
