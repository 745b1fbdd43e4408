import Metrics
import Sampler
import Terminal
import Testing

@testable import HUD

/// Rows of several lines, which few threads have on their tab.
@Suite struct ThreadLinesTests {
  private func hud(
    _ threads: Int, _ columns: Int, _ rows: Int, isASCII: Bool = false
  ) -> HUD {
    screen(
      columns, rows, OverviewScreenTests.withThreads(threads).run,
      state: HUDState(isASCII: isASCII), keys: [.character("4")])
  }

  /// The positions of the rows of threads on the screen: of the last line of each, which has the text.
  private func places(_ hud: HUD) -> [Int] {
    hud.rows.indices.filter { hud.rows[$0].contains(#/^[| >]*(worker-\d|demo) +42\d\d /#) }
  }

  @Test func `a few threads have rows of several lines where these leave room for the graphs`() {
    for (threads, columns, rows, lines) in [
      (3, 120, 40, 3), (3, 200, 60, 3), (5, 120, 40, 2), (6, 120, 40, 2), (7, 120, 40, 1),
      (3, 80, 24, 1), (3, 80, 40, 3), (3, 120, 30, 1), (1, 120, 40, 3),
    ] {
      let hud = hud(threads, columns, rows)
      let places = places(hud)
      #expect(places.count == threads, "\(threads) \(columns)x\(rows): \(hud.text)")
      for (first, second) in zip(places, places.dropFirst()) {
        #expect(second - first == lines, "\(threads) \(columns)x\(rows): \(hud.text)")
      }
      let graphs = hud.layout.filter { $0.id == .cpuGraph || $0.id == .memoryGraph }
      #expect(graphs.count == 2)
      #expect(lines == 1 || graphs.allSatisfy { $0.frame.rows >= 8 }, "\(graphs)")
    }
  }

  @Test func `the CPU share of a thread is as high as its lines`() throws {
    let hud = hud(3, 120, 40)
    let places = places(hud)
    let (busy, half, idle) = (places[0], places[1], places[2])
    func last(_ row: Int) -> [Character] {
      hud.rows[row].filter { "⣀·▁▂▃▄▅▆▇█".contains($0) }.suffix(1)
    }
    // The greatest one fills all but an eighth, half of it is half as high, and 0 is the base line.
    #expect((-2...0).map { last(busy + $0) } == [["▇"], ["█"], ["█"]])
    #expect((-2...0).map { last(half + $0) } == [[], ["▄"], ["█"]])
    #expect((-2...0).map { last(idle + $0) } == [[], [], ["⣀"]])
  }

  @Test func `in ASCII too`() {
    let hud = hud(3, 120, 40, isASCII: true)
    let places = places(hud)
    #expect(places.count == 3 && places[1] - places[0] == 3)
    let isASCII = hud.text.allSatisfy { $0.isASCII }
    #expect(isASCII, "\(hud.text)")
  }

  @Test func `a click on any line selects the thread`() throws {
    let run = OverviewScreenTests.withThreads(3).run
    for line in 0..<3 {
      var hud = hud(3, 120, 40)
      let place = places(hud)[1] - line
      hud.handle(MouseEvent(.press(button: 1), at: Point(row: place, column: 20)), run: run)
      #expect(hud.list.selectedRow == 1)
    }
    var hud = hud(3, 120, 40)
    // The headings select nothing.
    let heads = places(hud)[0] - 3
    hud.handle(MouseEvent(.press(button: 1), at: Point(row: heads, column: 20)), run: run)
    #expect(hud.list.selectedRow == 0)
  }

  @Test func `the keys go from thread to thread, and all lines of the selected one are marked`() {
    let run = OverviewScreenTests.withThreads(3).run
    var hud = hud(3, 120, 40)
    for key in [Key.character("f"), .home, .down] { _ = hud.handle(key, run: run) }
    hud.draw(run, now: run.latest?.time ?? MadeUpProcess.start)
    #expect(hud.list.selectedRow == 1)
    let places = places(hud)
    for row in places[0] - 2...places[2] {
      let isMarked = (places[1] - 2...places[1]).contains(row)
      let roles = (2..<100).map { Role(hud.picture[row, $0].style) }
      #expect(roles.allSatisfy { ($0 == .notice) == isMarked }, "\(row)")
    }
  }

  @Test func `a paused picture in a lower window has graphs and rows of one line`() {
    let run = OverviewScreenTests.withThreads(3).run
    var hud = hud(3, 120, 40)
    _ = hud.handle(.character(" "), run: run)
    hud.resize(to: Size(rows: 24, columns: 120))
    hud.draw(run, now: run.latest?.time ?? MadeUpProcess.start)
    let places = places(hud)
    #expect(places.count == 3 && places[1] - places[0] == 1, "\(hud.text)")
    #expect(hud.layout.contains { $0.id == .cpuGraph }, "\(hud.text)")
  }

  @Test func `one thread more or less changes nothing`() {
    var process = OverviewScreenTests.withThreads(6)
    var hud = screen(120, 40, process.run, keys: [.character("4")])
    let lines = hud.state.view.linesOfRow
    #expect(lines == 2)
    for (count, lines) in [(7, 1), (6, 1), (7, 1)] as [(UInt32, Int)] {
      process.change = { $0.threads = .value(count) }
      process.step()
      hud.invalidateAll()
      hud.draw(process.run, now: process.now)
      #expect(hud.state.view.linesOfRow == lines)
    }
  }
}
