/// The extremes of the leading figures since the start or the last reset.
public struct Peaks: BitwiseCopyable, Sendable {
  /// Greatest CPU share over the window, in percent of one processor.
  public var cpu: Double?
  /// Greatest value of the leading memory figure, in bytes.
  public var memoryHigh: Double?

  public init() {}

  mutating func update(_ row: Row, leading: Metric, isWholeWindow: Bool) {
    if isWholeWindow, let value = row[.cpuWindow].value { cpu = max(cpu ?? value, value) }
    if let value = row[leading].value { memoryHigh = max(memoryHigh ?? value, value) }
  }
}
