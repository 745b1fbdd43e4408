import Metrics
import PerfHUDBase
import Terminal
import TestSupport
import Testing

@testable import HUD

@Suite struct PaneFocusTests {
  @Test func `Tab and arrows go through the parts and on to none`() {
    var pane = PaneScreen(120, 40)
    pane.press(.character("t"))
    #expect(pane.hud.ring == [.list, .graph(.cpuGraph), .graph(.memoryGraph)])
    pane.press(.tab)
    #expect(pane.hud.focus.isInList && pane.hud.state.graph.focus == nil)
    pane.press(.tab)
    #expect(pane.hud.state.graph.focus == .cpuGraph && !pane.hud.focus.isInList)
    pane.press(.down)
    #expect(pane.hud.state.graph.focus == .memoryGraph)
    pane.press(.up)
    #expect(pane.hud.state.graph.focus == .cpuGraph)
    pane.press(.backTab)
    #expect(pane.hud.focus.isInList)
    pane.press(.backTab)
    #expect(pane.hud.state.graph.focus == nil && !pane.hud.focus.isInList)
    #expect(pane.hud.stack.isOpen(.list), "it was there before")
  }

  @Test func `the heading shows which part has the focus`() {
    var pane = PaneScreen(120, 40)
    pane.press(.tab)
    #expect(pane.text.contains(">CPU %"))
    pane.press(.tab)
    #expect(pane.text.contains(">MEM footprint") && !pane.text.contains(">CPU"))
    pane.press(.escape)
    #expect(!pane.text.contains(">MEM"))
  }

  @Test func `Enter on a graph goes to the tab with more about it, and back`() {
    var pane = PaneScreen(120, 40)
    for (presses, tab) in [(1, PaneTab.threads), (2, .memory)] {
      for _ in 0..<presses { pane.press(.tab) }
      pane.press(.enter)
      #expect(pane.hud.state.view.tab == tab)
      #expect(pane.hud.state.graph.focus == nil)
      // The list of the tab comes before its graphs.
      while pane.hud.state.graph.focus != (tab == .memory ? .memoryGraph : .cpuGraph) {
        pane.press(.tab)
      }
      pane.press(.enter)
      #expect(pane.hud.state.view.tab == .overview)
    }
  }

  @Test func `a graph without a heading takes no keys`() {
    var pane = PaneScreen(24, 5)
    #expect(pane.hud.ring.isEmpty)
    pane.press(.tab)
    #expect(pane.hud.state.graph.focus == nil)
  }

  @Test(arguments: [(80, 24), (60, 18), (44, 15), (36, 12), (80, 6), (80, 5)])
  func `a notice covers no gauge, no graph and no name of a tab, on whatever tab`(
    columns: Int, rows: Int
  ) {
    for tab in 1...PaneTab.allCases.count {
      var pane = PaneScreen(columns, rows)
      pane.press(.character(Unicode.Scalar(UInt8(ascii: "0") + UInt8(tab))))
      let names = pane.line(0)
      let until = pane.process.now.advanced(bySeconds: 60)
      pane.hud.show(toasts: ["one", "two"].map { ToastLine($0, until: until) })
      pane.hud.drawAll(pane.process.run)
      let frames = WindowID.toasts.compactMap { pane.hud.stack[$0]?.frame }
      #expect(!frames.isEmpty)
      for id in [WidgetID.cpu, .memory, .fps, .line, .cpuGraph, .memoryGraph] {
        guard let gauge = pane.frame(id) else { continue }
        for frame in frames {
          #expect(gauge.intersection(frame).isEmpty, "\(id) on tab \(tab)")
        }
      }
      if pane.frame(.tabs) != nil { #expect(pane.line(0).hasPrefix(names)) }
    }
  }
}
