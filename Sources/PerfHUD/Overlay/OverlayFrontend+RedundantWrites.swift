import Base
import Metrics
import Terminal

extension OverlayFrontend {
  /// Tells the run how much of what the command has written was there already. It is counted only while
  /// it is shown, since each cell that is written is compared for it.
  mutating func takeRewrites(now: Instant, into run: inout Run) {
    compositor.countRedundantWrites(!isHidden && hud.showsUnchangedCells)
    let found = compositor.takeRewrites()
    guard found.written > 0 else { return }
    // An accent takes back what its letter was counted as, perhaps in the time before.
    let unchanged = min(max(0, found.unchanged), found.written)
    run.apply(.cells(written: UInt64(found.written), unchanged: UInt64(unchanged), now))
  }
}
