import Terminal

/// 24-bit colors for a description with 256 colors: ncurses uses color numbers, which are replaced with values in its
/// output.
///
/// Each color of the HUD gets a number from 16 on, and `CSI 38;5;n m` with such a number is replaced by `CSI 38;2;r;g;b
/// m`. The terminal never gets the number, so its palette does not matter. Nothing is allocated once the colors are
/// set.
struct DirectColors: Sendable {
  /// The value of each number from `first` on.
  private var values: [UInt32] = []
  /// The bytes so far of a sequence that may be replaced, and their number.
  private var held = InlineArray<11, UInt8>(repeating: 0)
  private var count = 0
  private var number = 0

  static let first = 16
  static let limit = 256 - first

  /// `ESC [ 3 8 ; 5 ;`; the third byte differs for a background.
  private static let start: InlineArray<7, UInt8> = [0x1B, 0x5B, 0x33, 0x38, 0x3B, 0x35, 0x3B]

  mutating func removeAll() { values.removeAll(keepingCapacity: true) }

  /// The number for a color; `nil` if there are too many colors.
  mutating func number(of value: UInt32) -> Int? {
    if let index = values.firstIndex(of: value) { return DirectColors.first + index }
    guard values.count < DirectColors.limit else { return nil }
    values.append(value)
    return DirectColors.first + values.count - 1
  }

  /// Whether more than seven eighths of the numbers are in use. A theme takes up to 180 of them, most for its shades.
  var isNearlyFull: Bool { values.count > DirectColors.limit * 7 / 8 }

  /// Forwards bytes with the numbers replaced. A sequence may be split between calls.
  mutating func pass(_ bytes: UnsafeRawBufferPointer, to queue: inout OutputQueue) {
    var plain = 0
    for index in 0..<bytes.count {
      let byte = unsafe bytes[index]
      if count == 0 {
        guard byte == 0x1B else { continue }
        unsafe queue.append(UnsafeRawBufferPointer(rebasing: bytes[plain..<index]))
      }
      take(byte, to: &queue)
      plain = index + 1
    }
    unsafe queue.append(UnsafeRawBufferPointer(rebasing: bytes[plain...]))
  }

  /// Takes the next byte of a possible sequence.
  private mutating func take(_ byte: UInt8, to queue: inout OutputQueue) {
    let isNext: Bool
    switch count {
    case 2: isNext = byte == 0x33 || byte == 0x34
    case 0..<7: isNext = byte == DirectColors.start[count]
    case 7..<10 where (0x30...0x39).contains(byte):
      number = number * 10 + Int(byte & 0x0F)
      isNext = true
    case 8...10 where byte == UInt8(ascii: "m"):
      if let value = value(of: number) { return emit(value, to: &queue) }
      isNext = false
    default: isNext = false
    }
    guard isNext else {
      flush(to: &queue)
      if byte == 0x1B {
        hold(byte)
      } else {
        queue.append(byte)
      }
      return
    }
    hold(byte)
  }

  private mutating func hold(_ byte: UInt8) {
    held[count] = byte
    count += 1
  }

  private mutating func flush(to queue: inout OutputQueue) {
    for index in 0..<count { queue.append(held[index]) }
    count = 0
    number = 0
  }

  private func value(of number: Int) -> UInt32? {
    values.indices.contains(number - DirectColors.first) ? values[number - DirectColors.first] : nil
  }

  private mutating func emit(_ value: UInt32, to queue: inout OutputQueue) {
    count = 5
    number = 0
    flush(to: &queue)
    queue.append(UInt8(ascii: "2"))
    for part: UInt32 in 0..<3 {
      queue.append(UInt8(ascii: ";"))
      append(UInt8(truncatingIfNeeded: value >> (16 - 8 * part)), to: &queue)
    }
    queue.append(UInt8(ascii: "m"))
  }

  private func append(_ part: UInt8, to queue: inout OutputQueue) {
    if part >= 100 { queue.append(0x30 + part / 100) }
    if part >= 10 { queue.append(0x30 + part / 10 % 10) }
    queue.append(0x30 + part % 10)
  }
}
