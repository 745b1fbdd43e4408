import Metrics
import Testing

@testable import HUD

@Suite struct TabBarTests {
  @Test func `as columns shrink the tabs lose their numbers, then all names but one`() {
    let all = PaneTab.allCases
    for language in Language.allCases {
      for width in 1...120 {
        for chosen in all {
          let bar = TabBar(chosen, width: width, language, tabs: all)
          for index in 1..<bar.count { #expect(bar[index - 1].upperBound < bar[index].lowerBound) }
          #expect(bar.form == .chosen || bar[bar.count - 1].upperBound <= width)
        }
      }
    }
    #expect(TabBar(.overview, width: 44, .english, tabs: all).form == .names)
    #expect(TabBar(.overview, width: 80, .english, tabs: all).form == .numbered)
    #expect(TabBar(.overview, width: 24, .english, tabs: all).form == .chosen)
  }
}
