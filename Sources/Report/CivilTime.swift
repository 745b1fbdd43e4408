import PerfHUDBase

/// A moment of the Gregorian calendar.
struct CivilTime {
  private let unixSeconds: Int64
  private let secondsFromUTC: Int

  init(unixSeconds: Int64, secondsFromUTC: Int) {
    self.unixSeconds = min(max(unixSeconds, 0), 250_000_000_000)
    self.secondsFromUTC = secondsFromUTC
  }

  /// `2026-11-25 06:05:48 +01:00`.
  var text: String {
    let local = max(0, unixSeconds + Int64(secondsFromUTC))
    let date = CivilDate(daysSince1970: local / 86_400)
    let zone = Int64(secondsFromUTC.magnitude) / 60
    let sign = secondsFromUTC < 0 ? "-" : "+"
    func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let second = local % 86_400
    let day = "\(date.year)-\(two(date.month))-\(two(date.day))"
    let clock = "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
    return "\(day) \(clock) \(sign)\(two(zone / 60)):\(two(zone % 60))"
  }
}
