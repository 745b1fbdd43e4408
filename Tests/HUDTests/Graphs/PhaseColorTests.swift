import Metrics
import PerfHUDEvents
import Testing

@testable import HUD

@Suite struct PhaseColorTests {
  /// The colors of phases that are visited in this order, each with the color that it asks for.
  private func roles(_ phases: [(name: String, color: EventColor?)]) -> [Role] {
    var process = MadeUpProcess()
    for phase in phases {
      var event = Event(.phase)
      event.name = Event.Name(phase.name)
      event.color = phase.color
      process.step()
      process.apply(.event(event, process.now))
    }
    let context = DrawContext(run: process.run, row: process.run.latest, state: HUDState())
    return phases.indices.map { context.phaseRole(PhaseIndex($0)) }
  }

  @Test func `a phase does not get the color that another one asks for`() {
    let found = roles([("gallery", .orange), ("canvas", nil), ("menu", nil), ("help", .cyan)])
    #expect(found[0] == .orange && found[3] == .cyan)
    #expect(Set(found).count == 4, "\(found)")
  }

  @Test func `eight phases without a wish have eight colors`() {
    #expect(Set(roles("abcdefgh".map { (String($0), nil) })).count == 8)
  }

  @Test func `where all colors are asked for, the others share them`() {
    let wanted = EventColor.allCases.map { ("\($0)", EventColor?.some($0)) }
    #expect(roles(wanted + [("last", nil)]).last.map { $0 != .gray } == true)
  }
}
