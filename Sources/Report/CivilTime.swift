/// A moment of the Gregorian calendar.
struct CivilTime {
  private let unixSeconds: Int64
  private let secondsFromUTC: Int

  init(unixSeconds: Int64, secondsFromUTC: Int) {
    self.unixSeconds = min(max(unixSeconds, 0), 250_000_000_000)
    self.secondsFromUTC = secondsFromUTC
  }

  /// `2026-11-25 06:05:48 +01:00`. Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
  var text: String {
    let local = max(0, unixSeconds + Int64(secondsFromUTC))
    let days = local / 86_400 + 719_468
    let era = days / 146_097
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shifted + 2) / 5 + 1
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let zone = Int64(secondsFromUTC.magnitude) / 60
    let sign = secondsFromUTC < 0 ? "-" : "+"
    func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let second = local % 86_400
    return "\(year)-\(two(month))-\(two(day)) \(two(second / 3600)):\(two(second / 60 % 60)):"
      + "\(two(second % 60)) \(sign)\(two(zone / 60)):\(two(zone % 60))"
  }
}
