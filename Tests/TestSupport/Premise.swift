/// Plays until what a test presumes of the machine held, six times at most: that nothing paused where only a run
/// without a pause proves anything.
///
/// - Parameter doubt: why an outcome proves nothing; `nil` if it does.
/// - Returns: the first outcome without a doubt.
/// - Throws: when there was none, with all doubts; and what `play` throws.
public func playUntilSteady<Outcome>(
  _ play: () throws -> Outcome, doubt: (Outcome) -> String?
) throws -> Outcome {
  var doubts: [String] = []
  for _ in 0..<6 {
    let outcome = try play()
    guard let reason = doubt(outcome) else { return outcome }
    doubts.append(reason)
  }
  throw ToolError("the machine is too slow for this test: \(doubts.joined(separator: "; "))")
}
