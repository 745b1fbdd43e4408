import HUD
import Metrics
import Terminal

/// The keys that the HUD has between its leader and Esc.
extension OverlayFrontend {
  /// Serves the keys that were typed for the HUD; what the loop has to do for them goes into `requests`.
  mutating func serveKeys(run: borrowing Run, into requests: inout [HUDRequest]) {
    // Without being seen it could not be served.
    if typed.isLeading, !hud.hasKeys { isHidden = false }
    for key in typed.takeKeys() {
      guard let request = hud.handle(key, run: run) else { continue }
      switch request {
      case .hide:
        isHidden = true
        typed.endLeading()
      case .corner(let step): keeper.wish = step.applied(to: keeper.corner)
      case .nextSize: wantedSize = wantedSize.next
      case .back: typed.endLeading()
      case .interval, .mark, .resetPeaks, .readPSS, .redraw: requests.append(request)
      case .quit, .suspend: break
      }
    }
    if !typed.isLeading { hud.closeHelp() }
    hud.hasKeys = typed.isLeading
    fitHUD()
  }
}
