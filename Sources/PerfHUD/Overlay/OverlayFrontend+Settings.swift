import HUD
import Terminal

extension OverlayFrontend {
  /// Takes on what the sheet of settings has changed.
  mutating func apply(_ settings: Settings) {
    if settings.theme != theme {
      theme = settings.theme
      compositor.setStyles(Theme(depth: pad.depth, name: theme).styles)
    }
    // To set it, even to the same, undoes stepping aside.
    if settings.corner != keeper.wish { keeper.wish = settings.corner }
    wantedSize = settings.size
    stepsAside = settings.stepsAside
  }

  /// The HUD is hidden, or the command is told of the focus, and it is lost. Never while rows are written.
  var isUnwatched: Bool {
    guard !rows.isOpen else { return false }
    return isHidden || (!typed.hasFocus && compositor.screen.modes.contains(.focusReports))
  }

  mutating func ringBell() { isBellDue = !compositor.isGhost }

  /// A bell in the middle of a sequence would belong to it.
  mutating func ring() {
    guard isBellDue, compositor.screen.isAtGround else { return }
    isBellDue = false
    output.queue.append(0x07)
    compositor.noteInjection()
  }
}
