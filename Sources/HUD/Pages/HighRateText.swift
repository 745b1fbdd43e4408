import PerfHUDBase

/// The rate of an action that is HIGH, and the limit above which it is: `62/s > 30/s`.
struct HighRateText {
  let rate: ShortText
  /// With the sign before it: `> 30/s`.
  let limit: ShortText

  init(_ rate: Double, above limit: Double) {
    var text = ShortText()
    // A rounded rate must not look like one that is within the limit.
    text.append(rate, decimals: rate < 10 || rate.rounded() <= limit ? 1 : 0)
    text.append("/s")
    self.rate = text
    self.limit = HighRateText.limit(limit)
  }

  /// A limit with the sign before it: `> 30/s`, `> 0.25/s`.
  static func limit(_ limit: Double) -> ShortText {
    var text = ShortText("> ")
    let tenths = limit * 10
    text.append(
      limit, decimals: limit == limit.rounded() ? 0 : tenths == tenths.rounded() ? 1 : 2)
    text.append("/s")
    return text
  }
}
