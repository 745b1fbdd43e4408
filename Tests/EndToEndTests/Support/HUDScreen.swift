import Glibc
import TestSupport

/// What is on the screen of a HUD.
extension [String] {
  /// The row that begins with the label of a gauge, such as `MEM`.
  func gauge(_ label: String) -> String? { first { $0.hasPrefix(label + " ") } }

  /// The title: the row above the gauge of CPU; empty where there is none.
  var title: String {
    guard let gauge = firstIndex(where: { $0.hasPrefix("CPU ") }), gauge > 0 else { return "" }
    return self[gauge - 1]
  }

  /// The figure of a gauge with its unit: `9.816 MiB`.
  func figure(_ label: String) -> String? {
    guard let row = gauge(label) else { return nil }
    let words = row.dropFirst(label.count).split(separator: " ")
    return words.count < 2 ? nil : "\(words[0]) \(words[1])"
  }

  /// A figure of bytes as a number; `nil` while there is none.
  func bytes(_ label: String) -> Double? {
    let words = figure(label)?.split(separator: " ") ?? []
    let units = ["B": 1.0, "KiB": 1024, "MiB": 1_048_576, "GiB": 1_073_741_824]
    guard words.count == 2, let value = Double(words[0]), let unit = units[String(words[1])]
    else { return nil }
    return value * unit
  }

  /// Whether there is a row with the text.
  func shows(_ text: String) -> Bool { contains { $0.contains(text) } }

  /// Whether the values of all gauges are shown; CPU and storage need an interval, memory does not.
  var showsValues: Bool {
    bytes("MEM") != nil && gauge("CPU")?.contains("%") == true && showsStorage
  }

  /// Whether reads and writes are shown.
  var showsStorage: Bool { contains { $0.contains(#/DISK .*\d/#) } }

  /// Whether there is a character of braille with a dot.
  var hasBraille: Bool {
    contains { $0.unicodeScalars.contains { (0x2801...0x28FF).contains($0.value) } }
  }

  /// Whether there is a mark on a graph, or its phase in the title: where both graphs reach their top row, only their
  /// color shows the mark. The arrow at the column that a list is sorted by is none.
  var hasMark: Bool {
    contains { $0.replacing("CPU▼", with: "").contains("▼") } || shows("▲")
      || title.contains("mark 1")
  }

  var isASCII: Bool { allSatisfy { $0.utf8.allSatisfy { (0x20..<0x7F).contains($0) } } }
}

extension Tmux {
  /// Waits until the HUD shows its first values.
  @discardableResult
  func waitForValues() throws(ToolError) -> [String] {
    try waitFor(deadline: Perfhud.deadline) { $0.showsValues }
  }

  /// Waits until the footprint on the screen is in the range of bytes.
  @discardableResult
  func waitForMemory(_ range: ClosedRange<Double>) throws(ToolError) -> [String] {
    try waitFor(deadline: Perfhud.deadline) { screen in
      screen.bytes("MEM").map { range.contains($0) } ?? false
    }
  }
}

/// All of a terminal's modes, to compare.
func words(of modes: termios) -> [UInt32] {
  let characters = unsafe withUnsafeBytes(of: modes.c_cc) { unsafe $0.map { UInt32($0) } }
  return [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag] + characters
}
