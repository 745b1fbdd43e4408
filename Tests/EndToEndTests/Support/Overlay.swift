import Glibc
import TestSupport

/// perfhud with a command below it, as the tests of the overlay start it.
enum Overlay {
  /// Whether a script that starts the command bare replaces perfhud (`PERFHUD_CONTROL=1`): what
  /// the tests find then is a fault of the tests.
  static let isControl = unsafe getenv("PERFHUD_CONTROL") != nil

  /// Whether all is played that is worth it (`LONG_TESTS=1`), three times; else what `make test`
  /// has time for.
  static let isLong = unsafe getenv("LONG_TESTS").map { unsafe $0.pointee != 0 } ?? false

  /// Whether a case is to be played: all are unless `PERFHUD_CASE` says what their names must hold.
  static func plays(_ name: String) -> Bool {
    unsafe getenv("PERFHUD_CASE").map { unsafe name.contains(String(cString: $0)) } ?? true
  }

  /// Whether a size is to be played: all are unless `PERFHUD_SIZE` says which.
  static func plays(columns: Int, rows: Int) -> Bool {
    unsafe getenv("PERFHUD_SIZE").map { unsafe String(cString: $0) == "\(columns)x\(rows)" } ?? true
  }

  /// A number from the environment.
  static func number(_ variable: String) -> Int? {
    unsafe getenv(variable).flatMap { unsafe Int(String(cString: $0)) }
  }

  /// The seeds to play: one for `PERFHUD_SEED=7`, a range for `PERFHUD_SEED=1000-1600`, else `usual`.
  static func seeds(_ usual: ClosedRange<Int>) -> ClosedRange<Int> {
    guard let wanted = unsafe getenv("PERFHUD_SEED").map({ unsafe String(cString: $0) }) else {
      return usual
    }
    let ends = wanted.split(separator: "-").compactMap { Int($0) }
    guard let first = ends.first, let last = ends.last, first <= last else { return usual }
    return first...last
  }

  /// Whether `PERFHUD_SEED` says what is to be played.
  static var isChosen: Bool { unsafe getenv("PERFHUD_SEED") != nil }

  static func path() throws(ToolError) -> String {
    isControl ? Programs.source("control.sh") : try Perfhud.path()
  }

  /// The command with perfhud above it.
  static func wrap(_ command: [String], options: [String] = []) throws(ToolError) -> [String] {
    [try path()] + options + ["--"] + command
  }

  /// Columns and rows of the HUD by default.
  static let width = 38
  static let height = 5

  /// The cells that the HUD covers in the top right corner: it leaves the last column free, and a
  /// column on each side may change where a wide character is cut.
  static func rect(columns: Int, rows: Int) -> CellRect {
    let right = columns
    let left = max(0, columns - 1 - width - 1)
    return CellRect(rows: 0..<min(height, max(1, rows / 2)), columns: left..<right)
  }
}
