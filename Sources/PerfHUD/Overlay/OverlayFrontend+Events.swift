import Base
import Events
import Metrics
import Terminal

/// Events that the program sends with its output, as own sequences (OSC 7337).
extension OverlayFrontend {
  /// Takes what they have said; they happened when they were read. Where another process is shown, what
  /// lies beneath is not asked.
  mutating func takeOwnSequences(now: Instant, into run: inout Run) {
    let time = lastOutput ?? now
    var bad: UInt32 = 0
    compositor.takeOwnSequences { line in
      do throws(EventLineError) {
        let event = try EventCodec.decode(line)
        if let event, countsFrames { run.apply(.event(event, time)) }
      } catch {
        bad += 1
      }
    }
    guard countsFrames else { return }
    if bad > 0 { run.apply(.eventsBad(bad, now)) }
    let lost = compositor.lostOwnSequences - toldLostSequences
    if lost > 0 { run.apply(.eventsLost(UInt32(clamping: lost), now)) }
    toldLostSequences += lost
  }
}
