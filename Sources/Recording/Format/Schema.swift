import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

/// The kinds of records in a file, and the fields of each. The head of a file contains it as text.
struct Schema: Equatable, Sendable {
  struct Field: Equatable, Sendable {
    var name: String
    /// `nil` if it comes from a newer perfhud; records of the kind can then only be skipped.
    var type: FieldType?
    var unit: String
    /// See `FieldType.grain`.
    var grain: UInt64 = 1
  }

  struct Kind: Equatable, Sendable {
    var number: Int
    var name: String
    var fields: [Field] = []
    /// The index of its first field among those of all kinds.
    var offset = 0
    /// The index of its first group among those of all kinds.
    var groupOffset = 0

    /// The number of groups of eight fields.
    var groups: Int { (fields.count + 7) / 8 }
    var range: Range<Int> { offset..<offset + fields.count }
    var groupRange: Range<Int> { groupOffset..<groupOffset + groups }
    /// Whether each field can be decoded.
    var isKnown: Bool { fields.allSatisfy { $0.type != nil } }
  }

  private(set) var kinds: [Kind] = []
  /// The number of fields of all kinds.
  private(set) var fieldCount = 0
  /// The number of groups of eight fields of all kinds.
  var groupCount: Int { kinds.last.map { $0.groupOffset + $0.groups } ?? 0 }

  /// The schema of the files that this perfhud writes.
  static let current: Schema = {
    var schema = Schema()
    for kind in RecordKind.allCases {
      var visitor = SchemaVisitor()
      visitFields(of: kind, &visitor)
      schema.add(Kind(number: kind.rawValue, name: kind.name, fields: visitor.fields))
    }
    return schema
  }()

  mutating func add(_ kind: Kind) {
    var kind = kind
    kind.offset = fieldCount
    kind.groupOffset = groupCount
    fieldCount += kind.fields.count
    kinds.append(kind)
  }

  mutating func addField(_ field: Field) {
    guard !kinds.isEmpty else { return }
    kinds[kinds.count - 1].fields.append(field)
    fieldCount += 1
  }

  func kind(_ number: Int) -> Kind? { kinds.first { $0.number == number } }

  /// Passes the fields of a kind to a visitor.
  static func visitFields(of kind: RecordKind, _ visitor: inout some FieldVisitor) {
    switch kind {
    case .sample:
      var sample = Sample()
      sample.visit(&visitor)
    case .memory:
      var memory = MemorySample()
      memory.visit(&visitor)
    case .processes:
      var head = ListHead()
      head.visit(&visitor)
    case .processRow:
      var row = ListRow()
      row.visit(&visitor)
    case .mapping:
      var group = MappingGroup()
      group.visit(&visitor)
    case .event:
      var event = TimedEvent()
      event.visit(&visitor)
    case .end:
      var end = RecordingEnd(time: Instant(nanoseconds: 0))
      end.visit(&visitor)
    case .activity: break
    default:
      var small = SmallRecord()
      small.visit(&visitor, kind)
    }
  }
}

/// Lists the fields that it visits.
private struct SchemaVisitor: FieldVisitor {
  static var isReading: Bool { false }
  var text: [UInt8] = []
  var fields: [Schema.Field] = []

  mutating func integer(
    _ name: StaticString, _ type: FieldType, _ unit: StaticString, _ value: UInt64, isPresent: Bool
  ) -> UInt64 {
    let grain = type.grain(unit: "\(unit)")
    fields.append(Schema.Field(name: "\(name)", type: type, unit: "\(unit)", grain: grain))
    return value
  }

  mutating func textField(_ name: StaticString) -> Bool {
    fields.append(Schema.Field(name: "\(name)", type: .text, unit: "utf8"))
    return true
  }
}
