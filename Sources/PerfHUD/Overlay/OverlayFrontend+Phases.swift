import Base
import Events
import Terminal

/// What the program shows, told from its output, where it does not tell itself.
extension OverlayFrontend {
  /// Looks for a new phase after output has passed.
  mutating func lookForPhase(now: Instant) {
    let view = PhaseDetector.View(
      isAlternate: compositor.screen.isAlternate, titleChanges: compositor.screen.titleChanges,
      shellMarks: compositor.screen.shellMarkCount,
      commandsStarted: compositor.screen.commandsStarted,
      isCommandRunning: compositor.screen.isCommandRunning)
    // Where another process is shown, what lies beneath says nothing of it.
    guard countsFrames, view != phases.view else { return }
    let title = view.titleChanges != phases.view.titleChanges ? compositor.screen.title : ""
    let command = compositor.screen.commandText
    let begins = phases.look(at: view, now: now, title: { title }, command: { command })
    for begin in begins { note(begin, now: now) }
  }

  /// Begins a phase that has waited for its time.
  mutating func resolvePhase(now: Instant) {
    if let begin = phases.resolve(now: now) { note(begin, now: now) }
  }

  private mutating func note(_ begin: PhaseDetector.Begin, now: Instant) {
    var event = Event(.phase)
    event.name = begin.name
    event.origin = begin.source
    newPhases.append((event, now))
  }
}
