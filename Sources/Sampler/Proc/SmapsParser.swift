import PerfHUDBase

/// The name of a mapping: the path of a file, shortened at its start, or a name in brackets from the kernel; empty for
/// memory without a name. Harmless for a terminal.
public typealias MappingName = InlineText<160>

/// The mappings of a process that have the same name, in bytes.
public struct MappingGroup: BitwiseCopyable, Sendable, Equatable {
  public var name = MappingName()
  /// The number of mappings.
  public var count: UInt32 = 0
  /// The size of their address ranges, resident or not.
  public var sizeBytes: UInt64 = 0
  public var residentBytes: UInt64 = 0
  /// Resident memory; each page is divided by the number of processes that share it.
  public var pssBytes: UInt64 = 0
  /// Resident memory that no other process shares.
  public var privateBytes: UInt64 = 0
  public var swapBytes: UInt64 = 0

  public init() {}

  /// Adds the values of another group.
  mutating func add(_ other: MappingGroup) {
    count.addClamped(other.count)
    sizeBytes.addClamped(other.sizeBytes)
    residentBytes.addClamped(other.residentBytes)
    pssBytes.addClamped(other.pssBytes)
    privateBytes.addClamped(other.privateBytes)
    swapBytes.addClamped(other.swapBytes)
  }
}

/// Reads `/proc/PID/smaps` line by line, wherever the pieces are cut, and adds up the mappings of each name.
///
/// It accepts any bytes and allocates nothing after `init`. Once there are `capacity` names, the mappings of further
/// names are added up in `others`.
struct SmapsParser: Sendable {
  /// The maximum number of names.
  static let capacity = 256
  private static let slotCount = 512

  private(set) var groups: [MappingGroup] = []
  /// The mappings whose names did not fit.
  private(set) var others = MappingGroup()
  /// The index of a group + 1, in the slot of its name's hash or a later one; 0: free.
  private var slots = [UInt16](repeating: 0, count: slotCount)
  /// The group of the mapping that is being read; `nil` before the first one.
  private var current: Int?
  /// The start of a line whose end has not arrived yet.
  private var line = InlineText<512>()

  init() { groups.reserveCapacity(SmapsParser.capacity) }

  /// Starts over with another file.
  mutating func reset() {
    groups.removeAll(keepingCapacity: true)
    others = MappingGroup()
    for index in slots.indices { slots[index] = 0 }
    current = nil
    line.removeAll()
  }

  /// Reads a piece of the file.
  mutating func feed(_ bytes: RawSpan) {
    for index in 0..<bytes.byteCount {
      let byte = FieldCursor.byte(at: index, in: bytes)
      guard byte == 0x0A else {
        line.append(byte)
        continue
      }
      takeLine()
      line.removeAll()
    }
  }

  private mutating func takeLine() {
    guard line.count > 0 else { return }
    // The lines of a mapping begin with a capital letter, the mapping itself with its address.
    guard line[0].hexDigitValue != nil, line[0] >= UInt8(ascii: "a") || line[0].isDigit else {
      return takeField()
    }
    takeMapping()
  }

  // MARK: A mapping

  private mutating func takeMapping() {
    guard let start = hexadecimal(at: 0), start.end < line.count,
      line[start.end] == UInt8(ascii: "-"), let end = hexadecimal(at: start.end + 1)
    else { return }
    // Rights, offset, device and inode come before the name.
    var position = end.end
    for _ in 0..<4 {
      position = skip(position) { $0 == 0x20 }
      position = skip(position) { $0 != 0x20 }
    }
    position = skip(position) { $0 == 0x20 }
    guard !isKernelPage(from: position) else {
      current = nil
      return
    }
    let group = index(of: name(from: position))
    current = group
    var found = MappingGroup()
    found.count = 1
    found.sizeBytes = end.value &- min(start.value, end.value)
    add(found, to: group)
  }

  /// Whether the rest of the line names pages of the kernel that each process has, and that say nothing about it
  /// (`vdso(7)`): `[vdso]`, `[vvar]`, `[vvar_vclock]`, `[vsyscall]`.
  private func isKernelPage(from position: Int) -> Bool {
    hasPrefix("[vdso]", at: position) || hasPrefix("[vvar", at: position)
      || hasPrefix("[vsyscall]", at: position)
  }

  private mutating func add(_ found: MappingGroup, to group: Int) {
    if group < groups.count { groups[group].add(found) } else { others.add(found) }
  }

  /// Whether the line goes on with a text.
  private func hasPrefix(_ text: StaticString, at position: Int) -> Bool {
    let length = text.utf8CodeUnitCount
    guard line.count - position >= length else { return false }
    var index = 0
    while index < length {
      guard unsafe line[position + index] == text.utf8Start[index] else { return false }
      index += 1
    }
    return true
  }

  private func skip(_ position: Int, while body: (UInt8) -> Bool) -> Int {
    var position = position
    while position < line.count, body(line[position]) { position += 1 }
    return position
  }

  private func hexadecimal(at start: Int) -> (value: UInt64, end: Int)? {
    var value: UInt64 = 0
    var position = start
    while position < line.count, let digit = line[position].hexDigitValue {
      value = value << 4 | UInt64(digit)
      position += 1
    }
    return position == start ? nil : (value, position)
  }

  /// The rest of the line, made harmless. What does not fit is cut off at the start, since paths differ at their ends.
  private func name(from start: Int) -> MappingName {
    var name = MappingName()
    guard start < line.count else { return name }
    var position = start
    if line.count - start > MappingName.limit {
      name.append("…")
      position = line.count - (MappingName.limit - 3)
      while position < line.count, line[position] & 0xC0 == 0x80 { position += 1 }
    }
    while position < line.count {
      let (scalar, length) = UTF8Form.character(at: position, count: line.count) { line[$0] }
      position += length
      guard name.append(SafeText.replacement(for: scalar)) else { break }
    }
    return name
  }

  /// The index of the group with the name; the number of groups if it does not fit.
  private mutating func index(of name: MappingName) -> Int {
    var hash = FNV1a()
    for index in 0..<name.count { hash.combine(name[index]) }
    var slot = Int(hash.value % UInt64(SmapsParser.slotCount))
    // There are twice as many slots as names, so the loop finds a free one.
    while slots[slot] > 0 {
      let index = Int(slots[slot]) - 1
      if groups[index].name == name { return index }
      slot = (slot + 1) % SmapsParser.slotCount
    }
    guard groups.count < SmapsParser.capacity else { return groups.count }
    var group = MappingGroup()
    group.name = name
    groups.append(group)
    slots[slot] = UInt16(groups.count)
    return groups.count - 1
  }

  // MARK: Its fields

  private mutating func takeField() {
    guard let group = current else { return }
    var found = MappingGroup()
    if let bytes = kibibytes(after: "Rss:") {
      found.residentBytes = bytes
    } else if let bytes = kibibytes(after: "Pss:") {
      found.pssBytes = bytes
    } else if let bytes = kibibytes(after: "Private_Clean:") ?? kibibytes(after: "Private_Dirty:") {
      found.privateBytes = bytes
    } else if let bytes = kibibytes(after: "Swap:") {
      found.swapBytes = bytes
    } else {
      return
    }
    add(found, to: group)
  }

  /// The number of kB after a key, in bytes; `nil` if the line has another key.
  private func kibibytes(after key: StaticString) -> UInt64? {
    guard hasPrefix(key, at: 0) else { return nil }
    var position = skip(key.utf8CodeUnitCount) { $0 == 0x20 }
    var value: UInt64 = 0
    let start = position
    while position < line.count, line[position].isDigit, position - start < 16 {
      value = value * 10 + UInt64(line[position] - UInt8(ascii: "0"))
      position += 1
    }
    return position == start ? nil : value.multipliedReportingOverflow(by: 1024).partialValue
  }
}

extension MappingName {
  fileprivate static var limit: Int { 160 }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
