import Glibc
import HUD
import PerfHUDBase
import Terminal

/// Sets up the terminal and ncurses before the command starts. If that fails, the command runs without a HUD.
struct OverlayTerminal: ~Copyable {
  /// The terminal in raw mode. Until the HUD is drawn, nothing else must be undone.
  var tty: TTY
  let pad: CursesPad
  /// The previous modes, for the command's own terminal.
  let modes: termios?

  /// Sets up the terminal. Signals must be blocked before.
  ///
  /// - Throws: the reason why there can be no HUD; the terminal is then as it was before.
  init(settings: Settings, environment: Environment) throws(RunError) {
    var tty = try OverlayTerminal.openTerminal()
    let place = Placement.place(settings.size, at: settings.corner, in: tty.size().cells)
    let cells = Size(rows: place?.rows ?? 0, columns: place?.columns ?? 0)
    let pad = try OverlayTerminal.makePad(cells, settings, environment)
    try OverlayTerminal.enter(&tty)
    modes = tty.foundModes
    self.tty = tty
    self.pad = pad
  }

  private static func openTerminal() throws(RunError) -> TTY {
    do throws(SystemError) {
      return try TTY()
    } catch {
      throw RunError(error)
    }
  }

  private static func makePad(
    _ size: Size, _ settings: Settings, _ environment: Environment
  ) throws(RunError) -> CursesPad {
    do throws(CursesError) {
      return try CursesPad(
        size: size, term: environment["TERM"], directColors: environment.directColors,
        colors: !environment.wantsNoColor, isUTF8: environment.isUTF8 && !settings.isASCII)
    } catch {
      switch error {
      case .system(let error): throw RunError(error)
      case .failed(let term), .noCursorAddressing(let term):
        throw RunError("ncurses cannot draw on TERM=\(term)")
      }
    }
  }

  private static func enter(_ tty: inout TTY) throws(RunError) {
    do throws(SystemError) {
      try tty.enter(restore: [])
    } catch {
      if error.code == .resourceBusy { throw RunError("another perfhud draws on this terminal") }
      throw RunError(error)
    }
  }
}
