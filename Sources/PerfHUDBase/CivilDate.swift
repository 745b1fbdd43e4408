/// A day of the Gregorian calendar. Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
package struct CivilDate: BitwiseCopyable, Sendable, Equatable {
  package let year: Int64
  /// From 1 to 12.
  package let month: Int64
  /// From 1 to 31.
  package let day: Int64

  /// - Parameter days: from 0.
  package init(daysSince1970 days: Int64) {
    let days = max(0, days) + 719_468
    let era = days / 146_097
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shifted + 2) / 5 + 1
    month = shifted < 10 ? shifted + 3 : shifted - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }
}
