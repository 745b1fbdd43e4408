import CMallocCount
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Testing

@testable import Metrics

@Suite struct RunEventsTests {
  // MARK: Row

  @Test func `a row has the phase at its time and the rate of all actions`() {
    var process = MadeUpProcess()
    process.memory(1, at: 0.5)
    #expect(process[.actions] == .absent(.notRequested))
    #expect(process.run.latest?.phase == nil)
    process.phase("canvas", at: 1)
    process.memory(1, at: 1)
    #expect(process[.actions] == .value(0))
    for number in 0..<25 { process.report(.action, "a \(number)", at: 1.5) }
    // Sent before the reading, come after it.
    process.phase("gallery", at: 2.2)
    process.memory(1, at: 2)
    #expect(process.run.latest?.phase?.name.text == "canvas")
    #expect(process[.actions] == .value(12.5))
    process.memory(1, at: 2.3)
    #expect(process.run.latest?.phase == RowPhase(index: 1, name: Event.Name("gallery")))
    process.memory(1, at: 3.6)
    #expect(process[.actions] == .value(0))
  }

  // MARK: Values

  @Test func `what the allocator retains is a number, or nothing was reported`() {
    func held(_ number: Double) -> Double? {
      var process = MadeUpProcess()
      func report(_ bytes: Double, at time: Double) {
        process.report(.value, "allocator.retained", at: time) { $0.number = bytes }
      }
      process.memory(1, at: 0.5)
      report(1000, at: 0.6)
      process.phase("canvas", at: 1)
      process.memory(1, at: 1)
      report(2000, at: 1.2)
      report(number, at: 1.4)
      process.phase("gallery", at: 2)
      process.memory(1, at: 2)
      process.phase("canvas", at: 3)
      process.memory(1, at: 9)
      return process.visits("canvas").first?.heldBytes
    }
    #expect(held(3000) == 2000)
    for number in [Double.infinity, -.infinity, .nan] { #expect(held(number) == 1000) }
  }

  @Test func `a value has its last, least and greatest`() {
    var process = MadeUpProcess()
    func report(_ name: String, _ number: Double, at time: Double, _ unit: String = "") {
      process.report(.value, name, at: time) {
        $0.number = number
        $0.unit = Event.Unit(unit)
      }
    }
    report("tiles", 5, at: 1, "MiB")
    report("tiles", 9, at: 3)
    report("tiles", 2, at: 2)
    report("tiles", .nan, at: 4)
    let value = process.run.reports.values.all.first
    #expect(value?.last == 9 && value?.least == 2 && value?.greatest == 9)
    #expect(value?.unit.text == "MiB")
    #expect(value?.count == 3)
    for number in 0..<40 { report("v\(number)", 0, at: Double(10 + number)) }
    #expect(process.run.reports.values.all.count == 32)
    #expect(process.run.reports.values.forgottenNames == 9)
    let names = process.run.reports.values.all.map { $0.name.text }
    #expect(names == (8..<40).map { "v\($0)" })
  }

  // MARK: Toasts and loading

  @Test func `toasts fade after 5 s, and repeats are counted`() {
    var process = MadeUpProcess()
    process.report(.toast, "saved", at: 1)
    process.report(.toast, "synced", at: 2)
    process.report(.toast, "saved", at: 3)
    process.report(.toast, "saved", at: 3.5)
    func shown(_ seconds: Double) -> [String] {
      process.run.toasts(asOf: MadeUpProcess.time(seconds)).map { "\($0.text.text) \($0.count)" }
    }
    #expect(shown(4) == ["synced 1", "saved 3"])
    #expect(shown(7.1) == ["saved 3"])
    #expect(shown(8.6) == [])
    process.report(.toast, "saved", at: 20)
    #expect(shown(20) == ["saved 1"])
    let ids = process.run.toasts(asOf: MadeUpProcess.time(20)).map(\.id)
    #expect(ids == [3])
    for number in 0..<20 { process.report(.toast, "t\(number)", at: 21) }
    // 8 at once, then 4 a second.
    #expect(shown(21) == (0..<8).map { "t\($0) 1" })
    for number in 20..<30 { process.report(.toast, "t\(number)", at: 22) }
    #expect(shown(22) == (4..<8).map { "t\($0) 1" } + (20..<24).map { "t\($0) 1" })
  }

  @Test func `a cover holds for 10 s, and begins at most once in 2 s`() {
    var process = MadeUpProcess()
    func covers(_ seconds: Double) -> Bool? {
      process.run.reports.loading?.covers(asOf: MadeUpProcess.time(seconds))
    }
    process.report(.loading, "fonts", at: 1) { $0.coversScreen = true }
    #expect(covers(1) == true && covers(10.9) == true && covers(11.1) == false)
    process.report(.loading, "fonts", at: 8) { $0.coversScreen = true }
    #expect(covers(17.9) == true, "it was renewed")
    process.report(.loadingDone, at: 9)
    process.report(.loading, "pages", at: 9.1) { $0.coversScreen = true }
    #expect(covers(9.2) == true)
    process.report(.loadingDone, at: 9.3)
    process.report(.loading, "more", at: 9.4) { $0.coversScreen = true }
    #expect(covers(9.5) == false, "it would flicker")
  }

  @Test func `a message is over after 10 s, but not while its sender is there`() {
    var process = MadeUpProcess()
    for (group, isOver) in [(0, true), (-1, true), (42, false)] as [(Int32, Bool)] {
      process.report(.loading, "fonts", at: 1) {
        $0.speaker = Speaker(name: "a", process: 1, group: group)
      }
      let loading = process.run.reports.loading
      #expect(loading?.isOver(asOf: MadeUpProcess.time(10.9)) == false)
      #expect(loading?.isOver(asOf: MadeUpProcess.time(11.1)) == isOver)
    }
  }

  @Test func `loading has its progress and its beginning until it is done`() {
    var process = MadeUpProcess()
    process.report(.loading, "fonts", at: 1)
    #expect(process.run.reports.loading?.progress == nil)
    process.report(.loading, "pages", at: 2) { $0.number = 0.4 }
    #expect(process.run.reports.loading?.text.text == "pages")
    #expect(process.run.reports.loading?.progress == 0.4)
    #expect(process.run.reports.loading?.since == MadeUpProcess.time(1))
    process.report(.loading, "pages", at: 3) { $0.number = 7 }
    #expect(process.run.reports.loading?.progress == 1)
    process.report(.loadingDone, at: 4)
    #expect(process.run.reports.loading == nil)
    process.report(.loading, "again", at: 5)
    process.read(at: 6) { $0.hasEnded = true }
    #expect(process.run.reports.loading == nil)
  }

  // MARK: Notices

  @Test func `a visit that kept 20 of 50 MiB is noticed, its warm-up and small ones are not`() {
    let quiet = TwoPhases(galleryLeaks: { $0 == 0 ? 30 : 7 }).run(rounds: 2)
    #expect(quiet.run.noticeList.all.isEmpty)
    let large = TwoPhases(galleryLeaks: { $0 == 3 ? 20 : 0 }).run(rounds: 5)
    #expect(large.run.noticeList.all.map(\.kind) == [.phaseKept])
    let notice = large.run.noticeList.all.first
    #expect(notice?.name.text == "gallery")
    #expect(notice?.phase.map(Int.init) == large.index(of: "gallery"))
    #expect(((notice?.bytes ?? 0) / bytesPerMiB - 20).magnitude < 0.5)
    let share = TwoPhases(galleryTakes: 500, galleryLeaks: { $0 == 3 ? 20 : 0 }).run(rounds: 5)
    #expect(share.run.noticeList.all.isEmpty)
  }

  @Test func `growth is noticed once, when the visits agree`() {
    let process = TwoPhases(galleryLeaks: { _ in 7 }).run(rounds: 6)
    #expect(process.run.noticeList.all.map(\.kind) == [.phaseGrows])
    #expect(((process.run.noticeList.all.first?.bytes ?? 0) / bytesPerMiB - 7).magnitude < 0.2)
  }

  // MARK: Frames

  @Test func `frames that the program reports lead, with their own times`() {
    var process = MadeUpProcess(tickPeriod: 16_666_667)
    process.run.apply(.activity(.frame(MadeUpProcess.time(0.5), .tick, missed: 0)))
    for number in 0..<300 {
      process.report(.frame, at: 1 + Double(number) * 0.016) {
        $0.number = number % 100 == 50 ? 80 : 12
      }
      process.run.apply(
        .activity(.frame(MadeUpProcess.time(1 + Double(number) * 0.016), .tick, missed: 0)))
    }
    process.memory(1, at: 5.8)
    #expect(process.run.latest?.fpsSource == .app)
    #expect(isClose(process[.frameMedian], 12, within: 1e-4))
    #expect(isClose(process[.frameP99], 80, within: 1e-4))
    #expect(isClose(process.run.latest?.onePercentLow, 12.5, within: 1e-4))
    #expect(isClose(process[.fps], 62, within: 2))
    #expect(process.run.frames?.milliseconds(0).map { ($0 - 12).magnitude < 1e-4 } == true)
    #expect(process.run.frames?.recentCount == 300)
  }

  @Test func `a frame of 400 ms that the program reports is a slow frame, a gap is idleness`() {
    var process = MadeUpProcess()
    var time = 1.0
    func frame(after gap: Double, reported: Double? = nil) {
      time += gap
      process.report(.frame, at: time) { $0.number = reported ?? .nan }
    }
    for _ in 0..<100 { frame(after: 0.016) }
    process.memory(1, at: time)
    frame(after: 0.4)
    #expect(process.run.frames?.milliseconds(0) == nil)
    #expect(process.run.frames?.slowFrames.total == 0)
    frame(after: 0.4, reported: 400)
    process.memory(1, at: time)
    #expect(process.run.frames?.milliseconds(0) == 400)
    #expect(process.run.frames?.slowFrames[0].time == MadeUpProcess.time(time))
    #expect(isClose(process.run.latest?.onePercentLow, 2.5, within: 1e-4))
  }

  // MARK: Memory

  /// A run that has seen more of everything than it has room for.
  private func fullProcess(interval: UInt64 = 20) -> MadeUpProcess {
    var process = MadeUpProcess(milliseconds: interval, tickPeriod: 16_666_667)
    for number in 0..<3000 {
      let time = Double(number) / 50
      process.memory(Double(100 + number % 7), at: time)
      process.phase("phase \(number % 80)", at: time)
      process.report(.action, "action \(number % 200)", at: time) {
        $0.detail = Event.Detail("detail \(number)")
      }
      process.report(.toast, "toast \(number % 30)", at: time)
      process.report(.value, "value \(number % 50)", at: time) { $0.number = Double(number) }
      process.report(.frame, at: time)
      process.run.apply(.mark(MadeUpProcess.time(time)))
    }
    return process
  }

  @Test func `a run with everything in it takes little more than 1 MiB`() {
    // The finest interval has the longest history, and the first frame of the program's own makes the frame
    // statistics.
    let kinds = Event.Kind.allCases
    let header = RunHeader(start: MadeUpProcess.start, wallClockOffset: 0, interval: 20_000_000)
    let before = perfhud_malloc_bytes()
    var run = Run(header)
    var sample = Sample()
    var event = Event(.phase)
    for number in 0..<20_000 {
      let time = MadeUpProcess.time(Double(number) / 50)
      sample.time = time
      sample.sequence = UInt32(number)
      sample.anonymousBytes = .value(UInt64(number % 1000) << 20)
      run.apply(.sample(sample))
      event.kind = kinds[number % kinds.count]
      event.name.removeAll()
      event.name.append(decimal: number)
      event.number = Double(number)
      run.apply(.event(event, time))
    }
    let bytes = perfhud_malloc_bytes() - before
    #expect(run.phases.forgottenNames > 0 && run.actions.forgottenNames > 0)
    #expect(Int(bytes) + MemoryLayout<Run>.size < (1 << 20) + 57_344, "\(bytes)")
    withExtendedLifetime(run) {}
    #expect(bytes > 100_000 || perfhud_malloc_is_counted() == 0)
    #expect(MemoryLayout<Run>.size < 16_384)
  }

  @Test func `100 000 events allocate nothing once their names are known`() {
    var process = fullProcess(interval: 100)
    var event = Event(.action)
    event.detail = Event.Detail("x")
    let names = (0..<4).map { Event.Name("name \($0)") }
    let kinds = Event.Kind.allCases
    var time = 70.0
    let count = allocations {
      for number in 0..<50_000 {
        time += 0.0001
        event.kind = kinds[number % kinds.count]
        event.name = names[(number / kinds.count) % names.count]
        event.number = Double(number % 100)
        process.run.apply(.event(event, MadeUpProcess.time(time)))
      }
    }
    #expect(count == 0)
    let samples = allocations {
      for _ in 0..<200 {
        time += 0.1
        process.memory(100, at: time)
      }
    }
    #expect(samples == 0)
  }

  @Test func `unknown names and new phases allocate nothing either`() {
    var process = fullProcess(interval: 100)
    var event = Event(.action)
    var number = 0
    let count = allocations {
      for _ in 0..<2000 {
        number += 1
        event.kind = number % 2 == 0 ? .action : .phase
        event.name.removeAll()
        event.name.append(decimal: number)
        process.run.apply(.event(event, MadeUpProcess.time(70 + Double(number) / 100)))
      }
    }
    #expect(count == 0)
  }

  @Test func `looking at tables and columns allocates nothing`() {
    let process = fullProcess(interval: 100)
    let run = process.run
    let now = MadeUpProcess.time(60)
    var sum = 0.0
    let count = allocations {
      let phases = run.phases.ranking
      for number in 0..<phases.count {
        let place = phases[number]
        sum += run.phases[place].keptBytes
        if run.phases.verdict(place) == .steady { sum += 1 }
        sum += Double(run.phases.verdict(place).text(.japanese).count)
      }
      let actions = run.actions.ranking
      for number in 0..<actions.count {
        sum += run.actions.totals(actions[number], asOf: now).rate
      }
      for column in 0..<200 {
        let from = MadeUpProcess.time(Double(column) * 0.3)
        sum += Double(run.phases.index(from: from, to: from.advanced(bySeconds: 0.3)) ?? 0)
      }
      sum += Double(run.notices(asOf: now).count + run.toasts(asOf: now).count)
      sum += Double(run.actions.log[0].count) + (run.phases.openVisit?.peakBytes ?? 0)
    }
    #expect(count == 0)
    #expect(sum > 0)
  }

  @Test func `a copy stays as it was while the run goes on`() {
    var process = fullProcess(interval: 100)
    let paused = process.run
    let phases = paused.phases.current?.visits
    let actions = paused.actions.total
    process.phase("later", at: 100)
    process.report(.action, "later", at: 100)
    process.memory(500, at: 101)
    #expect(paused.phases.current?.visits == phases)
    #expect(paused.actions.total == actions)
    #expect(paused.actions.log[0].name.text != "later")
    #expect(process.run.actions.log[0].name.text == "later")
  }

  @Test func `the same records give the same values`() {
    let first = fullProcess()
    let second = fullProcess()
    let now = MadeUpProcess.time(60)
    for place in first.run.phases.ranking {
      #expect(Array(first.run.phases.visits(place)) == Array(second.run.phases.visits(place)))
    }
    #expect(Array(first.run.noticeList.all) == Array(second.run.noticeList.all))
    #expect(Array(first.run.toasts(asOf: now)) == Array(second.run.toasts(asOf: now)))
    #expect(Array(first.run.actions.ranking) == Array(second.run.actions.ranking))
  }

  @Test func `a HUD that receives no events says why, once for each reason`() {
    var process = MadeUpProcess()
    process.memory(1, at: 0.1)
    let listeners: [EventListener] = [.here, .otherHUD, .otherHUD, .nobody, .here, .hudAbove]
    for (index, listener) in listeners.enumerated() {
      process.run.apply(.listener(listener, MadeUpProcess.time(1 + 10 * Double(index))))
    }
    #expect(process.run.listener == .hudAbove)
    #expect(process.run.noticeList.all.map(\.kind) == [.eventsElsewhere, .eventsElsewhere])
    #expect(process.run.noticeList.all.map(\.listener) == [.otherHUD, .hudAbove])
  }
}
