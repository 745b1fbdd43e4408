import PerfHUDBase
import Sampler

/// How a field is stored: as the difference from a prediction based on earlier records.
///
/// The raw value is its name in the schema. docs/RECORDING.md is the specification.
enum FieldType: String, CaseIterable, Sendable {
  /// A time in nanoseconds on the monotonic clock; expected to advance as much as between the last two.
  case time
  /// An integer; expected to stay the same.
  case same
  /// An integer; expected to grow as much as between the last two.
  case steady
  /// An integer; expected to grow as much as the record's time.
  case clock
  /// The nanoseconds by which the record is late; expected to grow as `steady`, plus the difference between the
  /// record's time and its expected time.
  case late
  /// A time; expected to stay the same, or else to be the record's time.
  case held
  /// A number; expected to change as much as the preceding field.
  case beside
  /// A number; expected to equal the preceding field if it did so in the last record, and otherwise to stay the same.
  case twin
  /// The bits of an IEEE 754 double; expected to stay the same.
  case real
  /// Bytes.
  case text

  /// Differences are usually multiples of this, in the field's unit: whole microseconds, whole pages.
  func grain(unit: String) -> UInt64 {
    switch (self, unit) {
    case (.real, _), (.text, _): 1
    case (_, "B"): 4096
    case (.time, "ns"), (.clock, "ns"), (.late, "ns"), (.held, "ns"), (.beside, "ns"): 1000
    default: 1
    }
  }
}

/// Visits each field of a record in turn. Writing, reading and the schema are three visitors, so the fields of each
/// kind are listed only once.
protocol FieldVisitor {
  /// Whether fields get their values from the visitor, instead of the other way round.
  static var isReading: Bool { get }
  /// The text of the visited field.
  var text: [UInt8] { get set }

  /// - Parameter isPresent: whether the value matters. If not, the prediction is used.
  /// - Returns: the value of the field.
  mutating func integer(
    _ name: StaticString, _ type: FieldType, _ unit: StaticString, _ value: UInt64, isPresent: Bool
  ) -> UInt64
  /// Takes `text`, or sets it.
  ///
  /// - Returns: whether there is one.
  mutating func textField(_ name: StaticString) -> Bool
}

extension FieldVisitor {
  mutating func field<Value: FixedWidthInteger>(
    _ name: StaticString, unit: StaticString = "1", as type: FieldType = .same,
    _ value: inout Value
  ) {
    let bits = UInt64(truncatingIfNeeded: value)
    value = Value(truncatingIfNeeded: integer(name, type, unit, bits, isPresent: true))
  }

  mutating func field(
    _ name: StaticString, as type: FieldType = .same, _ value: inout Instant
  ) {
    let bits = integer(name, type, "ns", value.nanoseconds, isPresent: true)
    value = Instant(nanoseconds: bits)
  }

  mutating func field(_ name: StaticString, _ value: inout Bool) {
    value = integer(name, .same, "flag", value ? 1 : 0, isPresent: true) != 0
  }

  mutating func field(_ name: StaticString, _ value: inout Double) {
    value = Double(bitPattern: integer(name, .real, "1", value.bitPattern, isPresent: true))
  }

  /// If the value is not one of the cases, the field is not changed.
  mutating func field<Value: RawRepresentable>(_ name: StaticString, _ value: inout Value)
  where Value.RawValue == UInt8 {
    let bits = integer(name, .same, "enum", UInt64(value.rawValue), isPresent: true)
    value = UInt8(exactly: bits).flatMap(Value.init(rawValue:)) ?? value
  }

  /// A value that may be missing. A call of `absence` must follow.
  mutating func value(
    _ name: StaticString, unit: StaticString = "1", as type: FieldType = .same,
    _ reading: inout Reading<UInt64>
  ) {
    let bits = integer(name, type, unit, reading.value ?? 0, isPresent: reading.value != nil)
    if Self.isReading { reading = .value(bits) }
  }

  mutating func value(_ name: StaticString, _ reading: inout Reading<UInt32>) {
    var wide = reading.map { UInt64($0) }
    value(name, &wide)
    if Self.isReading { reading = wide.map { UInt32(truncatingIfNeeded: $0) } }
  }

  mutating func value(_ name: StaticString, _ reading: inout Reading<Double>) {
    let bits = reading.value?.bitPattern ?? 0
    let found = integer(name, .real, "1", bits, isPresent: reading.value != nil)
    if Self.isReading { reading = .value(Double(bitPattern: found)) }
  }

  /// Why a value is missing: 0, or one more than the reason's raw value. If the file lacks this field, there is no
  /// value.
  mutating func absence<Value>(_ name: StaticString, _ reading: inout Reading<Value>) {
    let code = Self.isReading ? UInt64(Absence.pending.rawValue) + 1 : reading.absenceCode
    let found = integer(name, .same, "enum", code, isPresent: true)
    if Self.isReading, found != 0 { reading = .absent(Absence(code: found)) }
  }

  /// The name of a process, byte for byte.
  mutating func field(_ name: StaticString, _ value: inout ProcessName) {
    text.removeAll(keepingCapacity: true)
    if !Self.isReading { for index in 0..<Int(value.count) { text.append(value[index]) } }
    guard textField(name), Self.isReading else { return }
    value = ProcessName()
    for byte in text.prefix(15) where byte != 0 { value.append(byte) }
  }

  /// A text that is read is made harmless again, since a file may come from anywhere.
  mutating func field<let capacity: Int>(
    _ name: StaticString, _ value: inout InlineText<capacity>
  ) {
    text.removeAll(keepingCapacity: true)
    if !Self.isReading { for index in 0..<value.count { text.append(value[index]) } }
    guard textField(name), Self.isReading else { return }
    if text.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
      value.removeAll()
      for byte in text { value.append(byte) }
    } else {
      value = InlineText(String(decoding: text, as: UTF8.self))
    }
  }

  mutating func field(_ name: StaticString, _ value: inout String) {
    text.removeAll(keepingCapacity: true)
    if !Self.isReading { text.append(contentsOf: value.utf8) }
    guard textField(name), Self.isReading else { return }
    value = SafeText.clean(bytes: text)
  }
}

extension Reading {
  /// 0, or one more than the reason's raw value.
  fileprivate var absenceCode: UInt64 {
    switch self {
    case .value: 0
    case .absent(let reason): UInt64(reason.rawValue) + 1
    }
  }
}

extension Absence {
  /// - Parameter code: one more than the raw value, which may be unknown here if it comes from a newer perfhud.
  fileprivate init(code: UInt64) {
    self = UInt8(exactly: code &- 1).flatMap(Absence.init(rawValue:)) ?? .unsupported
  }
}
