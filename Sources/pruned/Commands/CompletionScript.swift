import Foundation

/// A shell's completion script, as the parser writes it, and with what that leaves out: the commands behind `help`.
struct CompletionScript: CustomStringConvertible {
    let description: String

    /// Whether a script is what `arguments` ask for.
    static func isRequested(by arguments: [String]) -> Bool {
        arguments.contains { $0.hasPrefix("--generate-completion-script") }
    }

    /// `script`, with `commands` behind `help`.
    init(_ script: String, commands: [String]) {
        let words = commands.joined(separator: " ")
        description =
            if script.hasPrefix("#!/bin/bash") {
                script.changingHelp { body in
                    body + "\n    ((positional_number == 1))"
                        + " && COMPREPLY+=($(compgen -W '\(words)' -- \"${cur}\"))"
                }
            } else if script.hasPrefix("#compdef") {
                script.changingHelp { $0.replacing("'*:subcommands:'", with: "'1:command:(\(words))'") }
            } else {
                script
                    + "\ncomplete -c 'pruned' -n '__pruned_should_offer_completions_for_positional"
                    + " \"pruned help\" -eq 1' -fka '\(words)'"
            }
    }
}

extension String {
    /// The script with another body of the function that completes what stands behind `help`.
    fileprivate func changingHelp(_ change: (Substring) -> some StringProtocol) -> String {
        guard let begin = range(of: "\n_pruned_help() {\n"),
            let end = self[begin.upperBound...].range(of: "\n}\n")
        else { return self }
        let body = begin.upperBound..<end.lowerBound
        return replacingCharacters(in: body, with: String(change(self[body])))
    }
}
