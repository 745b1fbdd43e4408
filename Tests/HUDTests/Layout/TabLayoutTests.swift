import HUD
import Metrics
import PerfHUDBase
import Terminal
import Testing

@Suite struct TabLayoutTests {
  private func rows(
    _ tab: PaneTab, _ id: WidgetID, rows: Int = 40, _ change: (inout PaneView) -> Void = { _ in }
  ) -> Int {
    var view = PaneView(tab)
    change(&view)
    let placed = Layout.place(in: Size(rows: rows, columns: 120), view: view)
    return placed.first { $0.id == id }?.frame.rows ?? 0
  }

  @Test(arguments: [PaneTab.processes, .threads, .whySlow])
  func `graphs get the rows that a list does not need`(tab: PaneTab) {
    #expect(rows(tab, .cpuGraph) == 0)
    #expect(rows(tab, .list) { $0.listRows = 6 } == 6)
    #expect(rows(tab, .cpuGraph) { $0.listRows = 6 } == 13)
    #expect(rows(tab, .memoryGraph) { $0.listRows = 16 } == 9)
    #expect(rows(tab, .list) { $0.listRows = 24 } == 24)
    // Not worth it: the graphs would be too low.
    #expect(rows(tab, .cpuGraph) { $0.listRows = 29 } == 0)
    #expect(rows(tab, .cpuGraph, rows: 20) { $0.listRows = 9 } == 0)
  }

  @Test func `a list that has scrolled has all the rows`() {
    for tab in [PaneTab.processes, .threads, .whySlow, .actions, .frames] {
      let id = [WidgetID.cpuGraph, .memoryGraph, .log].filter {
        rows(tab, $0) {
          $0.listRows = 4
          $0.hasFrames = false
          $0.isCollapsed = true
        } > 0
      }
      #expect(id.isEmpty, "\(tab)")
    }
  }

  @Test func `the log is below the actions where there is room for both`() {
    #expect(rows(.actions, .log) == 0)
    #expect(rows(.actions, .log) { $0.listRows = 8 } >= 9)
    #expect(rows(.actions, .cpuGraph) { $0.listRows = 8 } == 10)
    // Where only one of log and graph has room, it is the log.
    #expect(rows(.actions, .log, rows: 24) { $0.listRows = 8 } == 9)
    #expect(rows(.actions, .cpuGraph, rows: 24) { $0.listRows = 8 } == 0)
    #expect(rows(.actions, .log, rows: 24) { ($0.listRows, $0.hasActions) = (8, false) } == 0)
    #expect(rows(.actions, .log, rows: 24) { $0.listRows = 12 } == 0)
    #expect(rows(.actions, .cpuGraph, rows: 24) { $0.listRows = 12 } > 0)
  }

  @Test func `the mapped files are below few phases where there is room for both`() {
    func mappings(_ count: Int, _ height: Int = 40, page: ListPage = .phases) -> Int {
      rows(.memory, .mappings, rows: height) { ($0.page, $0.listRows) = (page, count) }
    }
    #expect(rows(.memory, .list) { ($0.page, $0.listRows) = (.phases, 6) } == 6)
    #expect(mappings(6) >= 9)
    #expect(mappings(30) == 0 && mappings(6, page: .mappings) == 0)
    // A low graph leaves them a few.
    #expect(mappings(6, 24) == 4 && mappings(7, 24) == 0)
    #expect(rows(.memory, .memoryGraph, rows: 24) { ($0.page, $0.listRows) = (.phases, 6) } == 7)
    // A higher one does not move for them.
    for count in 6...23 {
      let graph = rows(.memory, .memoryGraph) { ($0.page, $0.listRows) = (.phases, count) }
      #expect(graph == rows(.memory, .memoryGraph) { ($0.page, $0.listRows) = (.phases, 6) })
    }
  }

  @Test func `the phases are below the parts of memory, unless they are the list of the tab`() {
    func phases(_ page: ListPage, _ height: Int = 40) -> Int {
      rows(.memory, .phases, rows: height) { $0.page = page }
    }
    #expect(phases(.mappings) >= 5 && phases(.mappings, 60) >= 5)
    #expect(phases(.mappings, 24) == 0 && phases(.phases) == 0)
    #expect(rows(.memory, .memoryParts) { $0.page = .mappings } == 11)
  }

  @Test func `the page of the log has no log below it`() {
    #expect(rows(.actions, .log) { $0.page = .log } == 0)
    #expect(rows(.actions, .list) { $0.page = .log } > 15)
    #expect(rows(.actions, .cpuGraph) { ($0.page, $0.listRows) = (.log, 6) } > 10)
    #expect(rows(.actions, .memoryGraph) { ($0.page, $0.listRows) = (.log, 6) } > 10)
  }

  @Test func `alerts have both graphs above them, and the log below where it has room`() {
    func alerts(_ id: WidgetID, _ rows: Int = 40, hasLog: Bool = true) -> Int {
      self.rows(.actions, id, rows: rows) {
        ($0.page, $0.listRows, $0.hasLog) = (.alerts, 6, hasLog)
      }
    }
    #expect(alerts(.list) == 6 && alerts(.log) >= 9)
    #expect(alerts(.cpuGraph) >= 5 && alerts(.memoryGraph) >= 5)
    #expect(alerts(.log, hasLog: false) == 0 && alerts(.cpuGraph, hasLog: false) > 10)
    #expect(alerts(.log, 24) == 0 && alerts(.cpuGraph, 24) > 5)
  }

  @Test func `without frames of the program their tab is mostly graphs`() {
    #expect(rows(.frames, .cpuGraph) == 0)
    #expect(rows(.frames, .list) { $0.hasFrames = false } == 10)
    #expect(rows(.frames, .cpuGraph) { $0.hasFrames = false } >= 10)
  }

  @Test func `tabs with short lists fill all rows at every size`() {
    for tab in [PaneTab.processes, .threads, .whySlow, .actions, .frames] {
      for listRows in [4, 8, 12, 20] {
        for rows in 1...60 {
          for columns in stride(from: 17, through: 200, by: 7) {
            var view = PaneView(tab)
            view.listRows = listRows
            view.hasFrames = false
            let size = Size(rows: rows, columns: columns)
            let frames = Layout.place(in: size, view: view).map(\.frame)
            #expect(areTiled(frames, size), "\(tab) \(listRows): \(columns)x\(rows)")
          }
        }
      }
    }
  }
}
