import Base
import Events
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

  @Test func `whoever tells more takes the lead, and keeps it`() {
    let said = current([.screen, .title, .screen, .job, .title, .shell, .job, .app, .shell, .emit])
    #expect(
      said == [
        "screen", "title", "title", "job", "job", "shell", "shell", "app", "app", "emit",
      ])
  }

  @Test func `whoever was chosen is the only one who counts`() {
    #expect(current([.app, .title, .shell], chosen: [.title]) == [nil, "title", "title"])
    #expect(current([.app, .title, .screen], chosen: []) == [nil, nil, nil])
  }

  @Test func `a mark begins a phase where nobody else tells any`() {
    var process = MadeUpProcess()
    process.run.apply(.mark(MadeUpProcess.time(1)))
    #expect(process.run.phases.current?.name.text == "mark 1")
    #expect(process.run.phases.current?.origin == .key)
    process.run.apply(.mark(MadeUpProcess.time(2)))
    #expect(process.run.phases.current?.name.text == "mark 2")
    process.tell(.phase, "canvas", at: 3)
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
