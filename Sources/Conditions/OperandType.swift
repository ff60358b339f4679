/// What an operand can be compared with.
package enum OperandType: Equatable {
    case value(TypeClass)
    /// A truth value that is also 1 or 0.
    case flag
    /// A number with a fraction, as it is written.
    case fraction
    case null
    /// A member of a JSON object: text, integer or boolean, as the other side has it.
    case member

    /// The class as which two operands are compared; nil if they are not.
    package func common(with other: OperandType) -> TypeClass? {
        switch (self, other) {
        case (.value(.other), _), (_, .value(.other)), (.value(.json), _), (_, .value(.json)): nil
        case (.null, .null), (.member, .member): nil
        case (.null, .member), (.member, .null): .text
        case (.null, let type), (let type, .null): type.own
        case (.member, let type), (let type, .member):
            [.text, .integer, .boolean].contains(type.own) ? type.own : nil
        case (.value(.loose), _), (_, .value(.loose)): .loose
        case (.flag, .flag), (.flag, .value(.boolean)), (.value(.boolean), .flag): .boolean
        case (.flag, .value(.integer)), (.value(.integer), .flag): .integer
        case (.fraction, .value(let type)), (.value(let type), .fraction):
            [.integer, .decimal, .real].contains(type) ? type == .real ? .real : .decimal : nil
        case (.fraction, .fraction): .decimal
        case (.value(.integer), .value(.decimal)), (.value(.decimal), .value(.integer)): .decimal
        case (.value(let a), .value(let b)) where a == b: a
        default: nil
        }
    }

    /// The class that it has by itself.
    package var own: TypeClass {
        switch self {
        case .value(let type): type
        case .flag: .boolean
        case .fraction: .decimal
        case .null, .member: .text
        }
    }
}

extension Operand<BoundNames> {
    /// The class as which it is compared with `other`; a text beside a time or a UUID is one.
    package func common(with other: Operand) -> TypeClass {
        for spoken in [TypeClass.time, .uuid] where type == .value(spoken) || other.type == .value(spoken) {
            return spoken
        }
        if isRealBeside(other) || other.isRealBeside(self) { return .real }
        return type.common(with: other.type) ?? .text
    }

    /// Whether it is a number with a fraction, and the other a whole one that is written, which is one, too.
    func isRealBeside(_ other: Operand) -> Bool {
        guard case .literal(.integer) = other else { return false }
        return type == .value(.real)
    }

    package var type: OperandType {
        switch self {
        case .column(let bound): bound.column.countsAsInteger ? .flag : .value(bound.column.type)
        case .literal(.null): .null
        case .literal(.integer): .value(.integer)
        case .literal(.decimal): .fraction
        case .literal(.text): .value(.text)
        case .literal(.boolean): .value(.boolean)
        case .arithmetic: .value(.integer)
        case .shifted: .value(.time)
        case .member: .member
        case .call(.abs, _), .call(.length, _): .value(.integer)
        case .call(.lower, _), .call(.upper, _), .call(.trim, _), .substring: .value(.text)
        case .call(.coalesce, let values):
            values.lazy.map(\.type).first { $0 != .null } ?? .null
        case .call(.nullif, let values): values.first?.type ?? .null
        }
    }

    package var isLiteral: Bool { if case .literal = self { true } else { false } }

    /// The columns that it reads.
    package var columns: [BoundColumn] {
        switch self {
        case .column(let column), .member(let column, _): [column]
        case .literal: []
        case .arithmetic(let a, _, let b): a.columns + b.columns
        case .shifted(let value, _), .substring(let value, _, _): value.columns
        case .call(_, let values): values.flatMap(\.columns)
        }
    }
}
