import PerfHUDBase
import Testing

@testable import PerfHUD

@Suite struct TmuxTests {
  @Test func `a line of tmux names pane, process and whose side pane it is`() {
    #expect(
      TmuxClient.parse("%3 4242 ") == TmuxClient.Pane(id: "%3", process: 4242, sideOf: nil))
    #expect(
      TmuxClient.parse("%4 77 %3") == TmuxClient.Pane(id: "%4", process: 77, sideOf: "%3"))
    for line in ["", "%3", "3 4242", "%3 x", "%3 -1", "no server running"] {
      #expect(TmuxClient.parse(line) == nil, "\(line)")
    }
  }

  @Test func `a word for a shell is in single quotes, and a single quote outside of them`() {
    #expect(TmuxClient.quoted("a b") == "'a b'")
    #expect(TmuxClient.quoted("it's $(x)") == "'it'\\''s $(x)'")
    #expect(TmuxClient.quoted("") == "''")
  }

  // MARK: The status line

  private func reading(ticks: UInt64, at seconds: Double, start: UInt64 = 5) -> PaneStatus.Reading {
    PaneStatus.Reading(
      pane: 10, group: 20, start: start, ticks: ticks, bytes: 45 << 20, name: "vim",
      time: Instant(nanoseconds: UInt64(seconds * 1e9)))
  }

  @Test func `two readings 2 s apart with 30 ticks between them are 15 %`() {
    let (first, isNew) = PaneStatus.next(
      reading(ticks: 100, at: 50), after: [], ticksPerSecond: 100)
    #expect(first.cpu == nil && isNew)
    let next = PaneStatus.next(reading(ticks: 130, at: 52), after: [first], ticksPerSecond: 100)
    #expect(next.entry.cpu == 15 && next.isNew)
  }

  @Test func `a reading 0.1 s after the last one repeats its CPU and is not remembered`() {
    let last = PaneStatus.Entry(reading: reading(ticks: 100, at: 50), cpu: 7)
    let next = PaneStatus.next(reading(ticks: 110, at: 50.1), after: [last], ticksPerSecond: 100)
    #expect(next.entry.cpu == 7 && !next.isNew)
  }

  @Test func `another program with the same pid, and a clock that went back, begin anew`() {
    let last = PaneStatus.Entry(reading: reading(ticks: 100, at: 50), cpu: 7)
    let other = PaneStatus.next(
      reading(ticks: 200, at: 60, start: 6), after: [last], ticksPerSecond: 100)
    #expect(other.entry.cpu == nil && other.isNew)
    let before = PaneStatus.next(reading(ticks: 200, at: 40), after: [last], ticksPerSecond: 100)
    #expect(before.entry.cpu == nil && before.isNew)
  }

  @Test func `fewer ticks than before, as after the end of a process, are 0 %`() {
    let last = PaneStatus.Entry(reading: reading(ticks: 100, at: 50), cpu: 7)
    let next = PaneStatus.next(reading(ticks: 90, at: 51), after: [last], ticksPerSecond: 100)
    #expect(next.entry.cpu == 0)
  }

  @Test func `what is remembered is read again, and lines that make no sense are left out`() {
    let entries = [
      PaneStatus.Entry(reading: reading(ticks: 100, at: 50), cpu: 7.5),
      PaneStatus.Entry(reading: reading(ticks: 3, at: 51, start: 9), cpu: nil),
    ]
    let text = PaneStatus.format(entries)
    let found = PaneStatus.parse(Array((text + "1 2 3\nx y z a b c\n\n").utf8))
    #expect(found.count == 2)
    #expect(found.map(\.cpu) == [7.5, nil])
    #expect(found.map(\.reading.start) == [5, 9])
    #expect(found.map(\.reading.ticks) == [100, 3])
  }

  @Test func `the line has name, CPU and memory, and no character that tmux would interpret`() {
    #expect(PaneStatus.text(reading(ticks: 0, at: 1), cpu: 15) == "vim 15 % 45.0M")
    #expect(PaneStatus.text(reading(ticks: 0, at: 1), cpu: nil) == "vim – % 45.0M")
    var strange = reading(ticks: 0, at: 1)
    strange.name = "#(reboot)%H\u{1B}[2J"
    let line = PaneStatus.text(strange, cpu: nil)
    #expect(!line.contains("#") && !line.contains("%H") && !line.contains("\u{1B}"))
  }
}
