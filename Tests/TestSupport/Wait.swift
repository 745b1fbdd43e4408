import Glibc
import PerfHUDBase

/// Asks every 5 ms whether the condition holds, and returns as soon as it does.
///
/// - Parameters:
///   - seconds: how long to ask at most.
///   - what: what is waited for, as the failure names it.
/// - Throws: when the time is up, and what the condition throws.
public func waitUntil(
  deadline seconds: Double = RunningTool.defaultDeadline, _ what: String = "the condition",
  _ condition: () throws(ToolError) -> Bool
) throws(ToolError) {
  let deadline = Instant.now().advanced(bySeconds: seconds)
  while true {
    if try condition() { return }
    guard Instant.now() < deadline else {
      throw ToolError("\(what) was not as waited for within \(seconds) s")
    }
    usleep(5000)
  }
}
