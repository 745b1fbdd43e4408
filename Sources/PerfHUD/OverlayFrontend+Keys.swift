import HUD
import Metrics
import Terminal

/// The keys that the HUD has between its leader and Esc.
extension OverlayFrontend {
  /// Serves the keys that were typed for the HUD; what the loop has to do for them goes into `requests`.
  mutating func serveKeys(run: borrowing Run, into requests: inout [HUDRequest]) {
    let keys = typed.takeKeys()
    guard typed.isLeading || hud.hasKeys || !keys.isEmpty else { return }
    if !hud.hasKeys, isHidden {
      isHidden = false
      isShownForKeys = true
    }
    for key in keys {
      isShownForKeys = false
      guard let request = hud.handle(key, run: run) else { continue }
      switch request {
      case .hide: isHidden = true
      case .corner(let step): keeper.wish = step.applied(to: keeper.corner)
      case .nextSize: wantedSize = wantedSize.next
      case .interval, .mark, .resetPeaks, .readPSS, .redraw: requests.append(request)
      // The keys have gone back already.
      case .back, .quit, .suspend: break
      }
    }
    if typed.isLeading {
      hud.hasKeys = true
      fitHUD()
    } else {
      giveKeysBack()
    }
  }

  /// The keys go to the command again.
  mutating func giveKeysBack() {
    typed.endLeading()
    if isShownForKeys { isHidden = true }
    isShownForKeys = false
    hud.closeHelp()
    hud.hasKeys = false
    fitHUD()
  }
}
