import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Terminal
import TestSupport
import Testing

@testable import HUD

/// Lists without rows, and what fills them.
@Suite struct EmptyListTests {
  @Test(arguments: Language.allCases, OverviewScreenTests.sizes)
  func `a list without rows says how to get some, with a command to copy`(
    language: Language, size: (columns: Int, rows: Int)
  ) {
    let run = OverviewScreenTests.withThreads().run
    let commands: [(Key, String)] = [
      (.character("a"), "perfhud emit action save --to 4242"),
      (.character("p"), "perfhud emit phase canvas --to 4242"),
      (.character("l"), "perfhud emit action hello --to 4242"),
    ]
    for (key, command) in commands {
      let hud = screen(
        size.columns, size.rows, run, state: HUDState(language: language), keys: [key])
      #expect(hud.rows.contains(" " + command), "\(key)")
    }
    let alerts = screen(
      80, 24, run, state: HUDState(language: language), keys: [.character("!")])
    #expect(alerts.text.contains("perfhud --alert 'cpu > 90% for 10s' --pid 4242"))
  }

  @Test func `what the command for an empty log sends is in the log`() {
    var process = OverviewScreenTests.withThreads()
    var event = Event(.action)
    event.name = Event.Name("hello")
    process.apply(.event(event, process.now))
    let text = screen(80, 24, process.run, keys: [.character("l")]).text
    #expect(text.contains("hello") && !text.contains("perfhud emit"), "\(text)")
  }

  @Test func `the memory tab lists what is mapped, and phases where there are any`() {
    var process = OverviewScreenTests.withThreads()
    var state = HUDState()
    state.isAnimated = false
    var hud = screen(100, 30, process.run, state: state, keys: [.character("2")])
    #expect(hud.wantedTable?.kind == .mappings && hud.text.contains("reading"))
    var table = MappingTable()
    for (name, mebibytes) in [("[heap]", 40), ("", 21), ("/usr/lib/x86_64/libdemo.so.3", 7)] {
      var group = MappingGroup()
      group.name = MappingName(name)
      group.count = 3
      group.residentBytes = UInt64(mebibytes) << 20
      group.pssBytes = UInt64(mebibytes) << 19
      table.groups.append(group)
    }
    process.apply(mappings: table)
    hud.invalidateAll()
    hud.draw(process.run, now: process.now)
    #expect(hud.rows.contains { $0.contains("40.0M") && $0.hasSuffix("[heap]") })
    #expect(hud.rows.contains { $0.hasSuffix("anonymous memory") })
    #expect(hud.rows.contains { $0.hasSuffix("/usr/lib/x86_64/libdemo.so.3") })
    // Below phases in a low pane they have no column headings, and so only the value in the title.
    var event = Event(.phase)
    event.name = Event.Name("canvas")
    process.apply(.event(event, process.now))
    process.step()
    process.apply(mappings: table)
    var low = screen(80, 24, process.run, state: state)
    _ = low.handle(.character("2"), run: process.run)
    low.draw(process.run, now: process.now)
    let heading = low.rows.firstIndex { $0.hasPrefix("─ mappings · PSS ") }
    #expect(
      heading.map { low.rows[$0 + 1].split(separator: " ") } == ["20.0M", "[heap]"], "\(low.text)")
    table.groups = []
    table.absence = .tooCostly
    process.apply(mappings: table)
    hud.invalidateAll()
    hud.draw(process.run, now: process.now)
    #expect(hud.text.contains("press P"))
    var busy = screen(100, 30, PaneScreen.busy.run, state: state)
    _ = busy.handle(.character("2"), run: PaneScreen.busy.run)
    #expect(busy.state.page == .phases)
  }
}
