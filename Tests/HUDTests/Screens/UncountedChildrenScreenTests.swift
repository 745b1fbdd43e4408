import Metrics
import Sampler
import Testing

@testable import HUD

/// The title of a process whose children are not in the values.
@Suite struct UncountedChildrenScreenTests {
  private func title(
    _ columns: Int, children: UInt32 = 3, _ language: Language = .english,
    change: @escaping @Sendable (inout Sample) -> Void = { _ in }
  ) -> String {
    var process = MadeUpProcess()
    process.change = { sample in
      sample.uncountedChildren = children
      change(&sample)
    }
    process.pass(seconds: 5)
    let lines = screen(columns, 24, process.run, state: HUDState(language: language)).lines
    return lines.first { $0.hasPrefix("demo") } ?? ""
  }

  @Test func `it says how many there are, and what includes them`() {
    #expect(title(80).hasSuffix("children: 3 not counted (--tree)"))
    #expect(title(60).hasSuffix("children: 3"))
    #expect(title(80, .japanese).hasSuffix("子プロセス: 3 対象外 (--tree)"))
  }

  @Test func `it names the key where the key counts them`() {
    var process = MadeUpProcess()
    process.change = { $0.uncountedChildren = 3 }
    process.pass(seconds: 5)
    var hud = screen(80, 24, process.run)
    hud.mayCountChildren = true
    hud.draw(process.run, now: process.now)
    #expect(hud.lines.contains { $0.hasSuffix("children: 3 not counted (press C)") })
    #expect(hud.handle(.character("C"), run: process.run) == .countChildren(true))
  }

  @Test func `the key says where it cannot count them`() {
    var process = MadeUpProcess()
    process.pass(seconds: 5)
    var hud = screen(80, 24, process.run)
    #expect(hud.handle(.character("C"), run: process.run) == nil)
    hud.draw(process.run, now: process.now)
    #expect(hud.lines.contains { $0.contains("children: fixed in this run (--tree)") })
    process.change = { $0.hasEnded = true }
    process.pass(seconds: 1)
    #expect(hud.handle(.character("C"), run: process.run) == nil)
    hud.draw(process.run, now: process.now)
    #expect(hud.lines.contains { $0.contains("this process has ended") })
  }

  @Test func `values that begin anew have no cursor on a time before them`() {
    var process = MadeUpProcess()
    process.pass(seconds: 5)
    var hud = screen(80, 24, process.run, keys: [.tab, .left])
    #expect(hud.state.graph.cursor != nil)
    hud.startAnew()
    #expect(hud.state.graph.cursor == nil)
  }

  @Test func `the name, the pid and the state stay in a narrow title`() {
    for columns in 17...80 {
      let words = title(columns).split(separator: " ")
      #expect(words.first == "demo", "\(columns)")
      // The arguments are between the name and the pid.
      let hasBoth = words.contains("4242") && words.contains("active")
      #expect(columns < 40 || hasBoth, "\(columns)")
    }
  }

  @Test func `children that have just ended stay in the title for some seconds`() {
    var process = MadeUpProcess()
    process.change = { $0.uncountedChildren = $0.sequence < 60 ? 3 : 0 }
    process.pass(seconds: 5.5)
    var hud = screen(80, 24, process.run)
    func title() -> String { hud.lines.first { $0.hasPrefix("demo") } ?? "" }
    #expect(title().contains("children: 3"))
    for (seconds, isShown) in [(3.0, true), (4.0, false)] {
      process.pass(seconds: seconds)
      hud.invalidateAll()
      hud.draw(process.run, now: process.now)
      #expect(title().contains("children: 3") == isShown, "\(seconds) s")
    }
  }

  @Test func `without children, and after the end, there is nothing to say`() {
    #expect(!title(120, children: 0).contains("children"))
    #expect(!title(120) { $0.hasEnded = $0.ageNanoseconds > 0 }.contains("children"))
  }
}
