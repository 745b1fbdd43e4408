/// The tab stops of a screen: HTS, TBC, DECST8C. Columns are counted from 0.
struct TabStops: ~Copyable {
  private let stops = UncheckedBuffer<Bool>(repeating: false, count: Screen.sizeLimit)
  /// False after a stop was set or cleared in an uncertain column.
  private(set) var isKnown = true
  /// Whether there is a stop in every eighth column and nowhere else.
  private(set) var isStandard = true

  /// Sets a stop in every eighth column.
  init() { setDefault() }

  subscript(column: Int) -> Bool { stops[column] }

  /// Sets a stop in every eighth column, as after RIS.
  mutating func reset() {
    setDefault()
    isKnown = true
    isStandard = true
  }

  /// Marks the stops as unknown.
  mutating func forget() {
    isKnown = false
    isStandard = false
  }

  /// DECST8C, which some terminals do not have.
  ///
  /// - Parameter columns: the width of the screen.
  mutating func setEveryEighth(columns: Int) {
    for column in 0..<columns where stops[column] != (column & 7 == 0) { isKnown = false }
    setDefault()
  }

  private func setDefault() {
    for column in 0..<Screen.sizeLimit { stops[column] = column & 7 == 0 }
  }

  /// The columns that have a stop, and whether they are known.
  struct Copy: Sendable {
    fileprivate var stops: [Bool]
    fileprivate var isKnown: Bool
  }

  /// The state; `nil` if it is the same as after RIS.
  var copy: Copy? {
    if isStandard, isKnown { return nil }
    return unsafe Copy(stops: Array(stops.prefix(Screen.sizeLimit)), isKnown: isKnown)
  }

  mutating func restore(_ copy: Copy) {
    for column in copy.stops.indices { stops[column] = copy.stops[column] }
    isKnown = copy.isKnown
    isStandard = false
  }

  /// HTS and TBC 0.
  ///
  /// - Parameter isCertain: whether the terminal's column is certainly the same.
  mutating func set(_ column: Int, to isStop: Bool, isCertain: Bool) {
    stops[column] = isStop
    isStandard = false
    if !isCertain { isKnown = false }
  }

  /// TBC 3.
  mutating func clearAll() {
    stops.fill(0, Screen.sizeLimit, with: false)
    isKnown = true
    isStandard = false
  }

  /// The column `count` stops after a column, but at most `limit`.
  func column(_ count: Int, after start: Int, limit: Int) -> Int {
    var column = start
    for _ in 0..<count {
      repeat { column += 1 } while column < limit && !stops[column]
      if column >= limit { return limit }
    }
    return column
  }

  /// The column `count` stops before a column, but at least `limit`.
  func column(_ count: Int, before start: Int, limit: Int) -> Int {
    var column = start
    for _ in 0..<count {
      repeat { column -= 1 } while column > limit && !stops[column]
      if column <= limit { return limit }
    }
    return column
  }
}
