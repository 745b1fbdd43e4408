import Metrics
import Sampler

/// Assembles a list from its head, rows and mappings.
struct ListAssembly {
  private var head: ListHead?
  private var rows: [ProcessRow] = []
  private var lines: [ProcessArguments] = []
  private var groups: [MappingGroup] = []
  /// The maximum number of rows or mappings of a list in a file.
  private static let limit = 4096

  init() {}

  init(_ head: ListHead) {
    self.head = head
    self.head?.others = max(0, min(head.others, 1 << 31))
  }

  mutating func add(_ row: ListRow) {
    guard let head, rows.count < min(head.rows, ListAssembly.limit) else { return }
    rows.append(row.row)
    if head.hasCommandLines { lines.append(row.commandLine) }
  }

  /// - Returns: the list, once its last mapping, the sum of the others, has been added.
  mutating func add(_ group: MappingGroup) -> ProcessTable? {
    guard let head else { return nil }
    guard groups.count == head.groups || groups.count == ListAssembly.limit else {
      groups.append(group)
      return nil
    }
    defer { self = ListAssembly() }
    guard rows.count == head.rows else { return nil }
    var mappings = MappingTable()
    mappings.groups = groups
    mappings.others = group
    mappings.time = head.mappingTime
    mappings.isPartial = head.isPartial
    mappings.absence = head.absence == 0 ? nil : Absence(rawValue: head.absence &- 1)
    return ProcessTable(
      request: ProcessTableRequest(head.kind, by: head.order), time: head.time, rows: rows,
      others: head.others, ended: head.ended, commandLines: lines, mappings: mappings)
  }
}
