import PerfHUDBase
import PerfHUDEvents
import Sampler
import Testing

@testable import Metrics

/// Who says what the program shows, where several do.
@Suite struct PhaseOriginTests {
  private func current(_ origins: [EventOrigin], chosen: Set<EventOrigin>? = nil) -> [String?] {
    var header = RunHeader(start: MadeUpProcess.start, wallClockOffset: 0, interval: 100_000_000)
    header.phaseOrigins = chosen
    var run = Run(header)
    return origins.enumerated().map { index, origin in
      var event = Event(.phase)
      event.name = Event.Name("\(origin.name)")
      event.origin = origin
      run.apply(.event(event, MadeUpProcess.time(Double(index + 1))))
      return run.phases.current?.name.text
    }
  }

  @Test func `the source that reports more leads, and keeps the lead`() {
    let said = current([
      .key, .title, .key, .job, .title, .shell, .job, .app, .shell, .pattern,
    ])
    #expect(
      said == [
        "key", "title", "title", "job", "job", "shell", "shell", "app", "app", "pattern",
      ])
  }

  @Test func `whoever was chosen is the only one who counts`() {
    #expect(current([.app, .title, .shell], chosen: [.title]) == [nil, "title", "title"])
    #expect(current([.app, .title, .shell], chosen: []) == [nil, nil, nil])
  }

  @Test
  func `of the chosen sources the one that reports more leads, and a mark ends no reported phase`()
  {
    let said = current([.job, .shell, .job, .key, .app], chosen: [.shell, .job])
    #expect(said == ["job", "shell", "shell", "shell", "shell"])
    #expect(current([.key], chosen: [.app]) == ["key"])
  }

  @Test func `a job that comes to the foreground ends what the one before has said of itself`() {
    var process = MadeUpProcess()
    process.report(.phase, "canvas", at: 1)
    process.report(.frame, at: 1.1)
    process.report(.loading, "images", at: 1.2)
    func change(_ name: String, isMark: Bool, at seconds: Double) {
      var kernel = ProcessName()
      for byte in name.utf8 { kernel.append(byte) }
      process.run.apply(
        .target(TargetChange(name: kernel, pid: 7, isMark: isMark), MadeUpProcess.time(seconds)))
    }
    change("make", isMark: true, at: 2)
    #expect(process.run.phases.current?.name.text == "make")
    #expect(process.run.frames?.source != .app)
    #expect(process.run.reports.loading?.text.text == "images", "several jobs may load one thing")
    change("bash", isMark: false, at: 3)
    #expect(process.run.reports.loading == nil)
  }

  @Test func `a mark begins a phase where no source reports any`() {
    var process = MadeUpProcess()
    process.run.apply(.mark(MadeUpProcess.time(1)))
    #expect(process.run.phases.current?.name.text == "mark 1")
    #expect(process.run.phases.current?.origin == .key)
    process.run.apply(.mark(MadeUpProcess.time(2)))
    #expect(process.run.phases.current?.name.text == "mark 2")
    process.report(.phase, "canvas", at: 3)
    process.run.apply(.mark(MadeUpProcess.time(4)))
    #expect(process.run.phases.current?.name.text == "canvas")
    #expect(process.run.marks.count == 3)
  }

  @Test func `a job that comes to the foreground is a phase, and so is the shell`() {
    var process = MadeUpProcess()
    for (index, name) in ["vim", "bash"].enumerated() {
      var kernel = ProcessName()
      for byte in name.utf8 { kernel.append(byte) }
      let change = TargetChange(name: kernel, pid: Int32(100 + index), isMark: index == 0)
      process.run.apply(.target(change, MadeUpProcess.time(Double(index + 1))))
      #expect(process.run.phases.current?.name.text == name)
    }
    #expect(process.run.phases.current?.origin == .job)
  }
}
