/// The effect of an SGR parameter on a style, for parameters that only set or reset something, independent of any
/// others. It is stored as bits to keep and bits to set, so that no decisions are needed.
struct PlainSGR: BitwiseCopyable {
  /// Parameters up to 107 have a meaning; the last entry stands for no parameter.
  static let count = 128
  static let none = 127

  private(set) var isPlain = false
  private(set) var setsBackground = false
  private var keptAttributes: UInt32 = .max
  private var attributes: UInt32 = 0
  private var keptForeground: UInt32 = .max
  private var foreground: UInt32 = 0
  private var keptBackground: UInt32 = .max
  private var background: UInt32 = 0
  private var keptUnderline: UInt32 = .max

  /// Applies the parameter to a style.
  @inline(__always) func apply(to style: inout Style) {
    style.foreground = Color(raw: style.foreground.raw & keptForeground | foreground)
    style.background = Color(raw: style.background.raw & keptBackground | background)
    style.underlineColor = Color(raw: style.underlineColor.raw & keptUnderline)
    style.attributes = Attributes(
      rawValue: style.attributes.rawValue & keptAttributes | attributes)
  }

  /// The table of all parameters. Not plain are those that depend on the terminal or on what came before (4, 7, 8 and
  /// similar ones), and those that take further parameters with them.
  static func table() -> UncheckedBuffer<PlainSGR> {
    let table = UncheckedBuffer(repeating: PlainSGR(), count: count)
    for (code, entry) in entries().enumerated() { table[code] = entry }
    return table
  }

  private static func entries() -> [PlainSGR] {
    var entries = [PlainSGR](repeating: PlainSGR(), count: count)
    func add(_ code: Int, _ change: (inout PlainSGR) -> Void) {
      entries[code].isPlain = true
      change(&entries[code])
    }
    add(none) { _ in }
    add(0) { entry in
      entry.keptAttributes = 0
      entry.keptUnderline = 0
      entry.setForeground(.standard)
      entry.setBackground(.standard)
    }
    let switches: [(on: Int, off: Int, attributes: Attributes)] = [
      (1, 22, .bold), (2, 22, .dim), (3, 23, .italic), (5, 25, .blink), (9, 29, .strike),
    ]
    for (on, off, attributes) in switches {
      add(on) { $0.attributes = attributes.rawValue }
      add(off) { $0.keptAttributes &= ~attributes.rawValue }
    }
    add(25) { $0.keptAttributes &= ~Attributes.rapidBlink.rawValue }
    for index in 0..<8 {
      add(30 + index) { $0.setForeground(.ansi(UInt8(index))) }
      add(40 + index) { $0.setBackground(.ansi(UInt8(index))) }
      add(90 + index) { $0.setForeground(.ansi(UInt8(index + 8))) }
      add(100 + index) { $0.setBackground(.ansi(UInt8(index + 8))) }
    }
    add(39) { $0.setForeground(.standard) }
    add(49) { $0.setBackground(.standard) }
    return entries
  }

  private mutating func setForeground(_ color: Color) {
    keptForeground = 0
    foreground = color.raw
  }

  private mutating func setBackground(_ color: Color) {
    keptBackground = 0
    background = color.raw
    setsBackground = true
  }
}
