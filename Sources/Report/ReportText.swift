import Metrics
import PerfHUDBase
import PerfHUDEvents

/// Values as text of a report.
enum ReportText {
  static func bytes(_ value: Double) -> String { "\(NumberFormat.trimmed(value, unit: .bytes))" }
  static func percent(_ value: Double) -> String {
    "\(NumberFormat.trimmed(value, unit: .percent))"
  }
  static func milliseconds(_ value: Double) -> String {
    "\(NumberFormat.trimmed(value, unit: .milliseconds))"
  }

  static func number(_ value: Double, decimals: Int) -> String {
    var text = ShortText()
    text.append(value, decimals: decimals)
    return text.description
  }

  /// `12.34 s`; from a minute on `3m12s`.
  static func seconds(_ value: Double) -> String {
    guard value < 60 else { return "\(NumberFormat.duration(seconds: value))" }
    return "\(number(value, decimals: value < 10 ? 3 : 2)) s"
  }

  /// An untrusted name, made harmless, and short enough for tables.
  static func name(_ name: Event.Name) -> String { SafeText.clean(name.text, limit: 80) }

  /// `1 visit`, `2 visits`.
  static func count(_ count: UInt64, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
