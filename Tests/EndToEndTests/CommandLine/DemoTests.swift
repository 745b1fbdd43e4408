import PerfHUDBase
import TestSupport
import Testing

/// The demo under perfhud, from its events to the screen and the summary, against what it has written
/// down of itself. `LONG_TESTS=1` plays each 20 times.
@Suite struct DemoTests {
  private static let runs = Overlay.isLong ? 20 : 1
  private static let visits = 3
  /// Seconds for a run, which plays for 34 s at most.
  private static let deadline = 90.0
  /// What the verdicts call noise, in MiB.
  private static let noise = 1.0

  private func demo(leaks: Bool, pace: Int, log: String) throws -> [String] {
    [
      try Products.path("perfhud-demo"), "--visits", "\(DemoTests.visits)", "--pace", "\(pace)",
      "--log", log,
    ] + (leaks ? ["--leak"] : [])
  }

  private func environment(_ directory: TemporaryDirectory) throws -> [String: String?] {
    try Overlay.environment([
      "XDG_RUNTIME_DIR": directory.path, "TMPDIR": nil, "PERFHUD_SOCKET": nil,
    ])
  }

  /// What a run has left, and from when to when perfhud may not have looked at what the demo sent.
  private typealias Outcome<Seen> = (
    summary: String, truth: DemoLog, seen: Seen, pauses: [ClosedRange<Instant>]
  )

  /// Plays until neither the demo nor perfhud has paused, since HIGH rightly ends in a pause; checks the summary
  /// of that run, and returns what was seen of it.
  private func play<Seen>(
    leaks: Bool, _ start: (TemporaryDirectory) throws -> Outcome<Seen>
  ) throws -> (seen: Seen, truth: DemoLog) {
    let outcome = try playUntilSteady {
      try start(try TemporaryDirectory())
    } doubt: { outcome in
      if outcome.truth.isSteady(pauses: outcome.pauses) { return nil }
      let longest = outcome.pauses.map { $0.upperBound.seconds(since: $0.lowerBound) }.max() ?? 0
      return "perfhud paused for \(longest) s, or the demo did"
    }
    try check(DemoSummary(outcome.summary), outcome.truth, leaks: leaks)
    return (outcome.seen, outcome.truth)
  }

  // MARK: What was said

  /// Compares the summary with the demo's log.
  private func check(_ summary: DemoSummary, _ log: DemoLog, leaks: Bool) throws {
    #expect(log.visits.count == DemoTests.visits)
    let canvas = try summary.line("phase", "canvas: ")
    // A lower bound if events were lost on the way.
    let mark = try summary.lost > 0 && canvas.hasPrefix("canvas: ≥") ? "≥ " : ""
    #expect(canvas.hasPrefix("canvas: \(mark)\(log.visits.count) visits, "), "\(canvas)")
    if leaks {
      let kept = Double(log.visits[0].kept)
      let growth = canvas.firstMatch(of: #/keeps ([0-9.]+) MiB a visit/#).flatMap {
        Double($0.1)
      }
      #expect(kept > 0 && log.visits.allSatisfy { Double($0.kept) == kept })
      #expect(abs((growth ?? 0) - kept) < DemoTests.noise, "\(summary.text)")
    } else {
      let share = canvas.firstMatch(of: #/released ([0-9]+) %/#).flatMap { Int($0.1) }
      #expect(log.visits.allSatisfy { $0.kept == 0 })
      #expect(share ?? 0 >= 90, "\(summary.text)")
    }
    let move = try summary.line("action", "pen.move: ")
    let count = move.firstMatch(of: #/pen\.move: (?:≥ )?([0-9]+),/#).flatMap { Int($0.1) } ?? -1
    let lost = try summary.lost
    #expect(count <= log.moves && count + lost >= log.moves, "\(summary.text)")
    if lost == 0 { #expect(count == log.moves) }
    // Once in each visit, and never between them.
    let times = log.visits.count == 1 ? "HIGH once" : "HIGH \(log.visits.count) times"
    #expect(move.hasSuffix(times), "\(summary.text)")
    #expect(!summary.text.contains("gallery.choose"), "it was never HIGH")
    let frames = try summary.line("frames")
    let shown = frames.firstMatch(of: #/^(?:≥ )?([0-9]+), /#).flatMap { Int($0.1) } ?? -1
    #expect(frames.hasSuffix("(app)"))
    #expect(shown <= log.frames && shown + lost >= log.frames, "\(summary.text)")
  }

  // MARK: Lines

  @Test(.serialized, arguments: 0..<runs, [false, true])
  func `each line names the place that the demo was in, and its frames`(
    run: Int, leaks: Bool
  ) throws {
    let (samples, truth) = try play(leaks: leaks) { directory in
      let log = directory.file("log")
      let file = directory.file("lines")
      let offset = wallClockOffset()
      let output = try Tool.run(
        [try Perfhud.path(), "--batch", "--summary", "--format", "jsonl", "--output", file, "--"]
          + demo(leaks: leaks, pace: 2, log: log),
        environment: try environment(directory), timeout: DemoTests.deadline)
      #expect(output.status == .exit(0))
      let text = try Tool.run(["cat", file])
      let samples = try text.lines.map { try Sample($0, offset: offset) }
      let pauses = zip(samples, samples.dropFirst()).map { $0.time...max($0.time, $1.time) }
      return (output.stderr, try DemoLog(path: log), samples, pauses)
    }
    #expect(samples.count > 100)
    checkPlaces(samples, truth)
    checkFrames(samples, truth)
    checkActions(samples, truth)
  }

  /// The figures of one line.
  private struct Sample {
    var time: Instant
    var phase: String?
    var framesPerSecond: Double?
    var source: String?
    var actionsPerSecond: Double?

    init(_ text: String, offset: UInt64) throws(ToolError) {
      let line = try JSONLine(text)
      let wall = UInt64(((try line.number("t") ?? 0) * 1e6).rounded()) * 1000
      time = Instant(nanoseconds: wall &- offset)
      phase = try line.text("phase")
      framesPerSecond = try line.number("fps")
      source = try line.text("fps_source")
      actionsPerSecond = try line.number("actions_per_s")
    }
  }

  /// At the borders a sample may belong to either side.
  private func checkPlaces(_ samples: [Sample], _ truth: DemoLog) {
    var wrong: [String] = []
    for index in samples.indices.dropFirst().dropLast() {
      let places = truth.places(from: samples[index - 1].time, to: samples[index + 1].time)
      if !places.contains(samples[index].phase) {
        wrong.append("\(samples[index]): \(places)")
      }
    }
    #expect(wrong == [])
    #expect(Set(samples.compactMap(\.phase)) == ["gallery", "canvas"])
  }

  /// The samples that were taken in one place of the demo with the second before them, and with the samples
  /// before and after them: what happens at a border may count to either side.
  private func inside(
    _ samples: [Sample], _ truth: DemoLog, seconds: Double = 1
  ) -> [(place: String, sample: Sample)] {
    samples.indices.dropFirst().dropLast().compactMap { index in
      let start = samples[index - 1].time.advanced(bySeconds: -seconds)
      return truth.stretch(from: start, to: samples[index + 1].time)
        .map { ($0.name, samples[index]) }
    }
  }

  /// On the canvas the rate is that of the demo's own count, in the gallery none.
  private func checkFrames(_ samples: [Sample], _ truth: DemoLog) {
    var rates: [Double] = []
    var counts: [Double] = []
    for (place, sample) in inside(samples, truth) {
      if place == "canvas" {
        #expect(sample.source == "app")
        rates.append(sample.framesPerSecond ?? -1)
        let start = sample.time.advanced(bySeconds: -1)
        counts.append(Double(truth.frames(from: start, to: sample.time)))
      } else if sample.source != nil {
        #expect(sample.source == "app")
        #expect(sample.framesPerSecond == 0, "\(sample)")
      }
    }
    func median(_ values: [Double]) -> Double {
      values.sorted().dropFirst(values.count / 2).first ?? .nan
    }
    let (median, own) = (median(rates), median(counts))
    #expect(abs(median - own) <= 2, "\(median) frames a second, and the demo says \(own)")
  }

  /// Many while the pen moves, and in the gallery none: where the 2 s of the rate are of one place.
  private func checkActions(_ samples: [Sample], _ truth: DemoLog) {
    for (place, sample) in inside(samples, truth, seconds: 2) {
      let rate = sample.actionsPerSecond ?? 0
      #expect(place == "canvas" ? rate > 30 : rate == 0, "\(sample)")
    }
  }

  // MARK: The screen

  @Test(.serialized, arguments: 0..<runs, [false, true])
  func `over the demo the HUD names its places, HIGH and idle`(run: Int, leaks: Bool) throws {
    let (seen, truth) = try play(leaks: leaks) { directory in
      let log = directory.file("log")
      let file = directory.file("summary")
      // At its own pace: a gallery of 2 s would be left soon after its figures have gone.
      let command = try demo(leaks: leaks, pace: 1, log: log)
        .map { "'\($0)'" }.joined(separator: " ")
      let tmux = try Tmux(
        columns: 100, rows: 30,
        command: ["sh", "-c", "\"$perfhud\" --no-step-aside -- \(command) 2> '\(file)'"],
        environment: try environment(directory))
      try tmux.waitFor("CPU", deadline: Perfhud.deadline)
      let perfhud = try tmux.waitForProcess("perfhud-hud")
      try tmux.sendKeys("F12", "a")
      var seen: [Shown] = []
      // When perfhud, which has a tick, was seen to have slept and woken once more.
      var turns: [Instant] = []
      var switches = -1
      try waitUntil(deadline: DemoTests.deadline, "the end of the demo") { () throws(ToolError) in
        if let now = ProcessStatus(perfhud)?.switches, now != switches {
          switches = now
          turns.append(.now())
        }
        let screen = try tmux.capture()
        if let shown = Shown(screen), shown != seen.last { seen.append(shown) }
        return try tmux.paneDead
      }
      #expect(try tmux.waitForEnd() == .exit(0))
      // It was at work at some time between two of these.
      let pauses = zip(turns, turns.dropFirst(2)).map { $0...$1 }
      return (try Tool.run(["cat", file]).stdout, try DemoLog(path: log), seen, pauses)
    }
    checkScreens(seen, truth)
  }

  /// What one screen says.
  private struct Shown: Equatable {
    var phase: String
    var isHigh: Bool
    var isIdle: Bool
    var isOfTheProgram: Bool

    /// `nil` without a whole HUD: a picture of tmux may be of half of a frame, with rows of the demo in it.
    init?(_ screen: [String]) {
      guard let top = screen.firstIndex(where: { $0.hasSuffix("╮") }),
        let bottom = screen[top...].firstIndex(where: { $0.hasSuffix("╯") }),
        screen[top + 1..<bottom].allSatisfy({ $0.hasSuffix("│") || $0.hasSuffix("┤") }),
        let phase = screen[top].firstMatch(of: #/· [A-Z] (gallery|canvas) /#)
      else { return nil }
      self.phase = String(phase.1)
      // The row of the page, not what is shown for a moment below it.
      isHigh = screen.contains {
        $0.contains(#/pen\.move +(?:≥ ?)?[0-9]+ +(?:≥ ?)?[0-9.]+/s HIGH/#)
      }
      let rate = screen.first { $0.contains("│ FPS") } ?? ""
      // Before its first frame there is no row for frames.
      isIdle = rate.isEmpty || rate.contains("idle")
      isOfTheProgram = !rate.isEmpty
    }
  }

  private func checkScreens(_ seen: [Shown], _ truth: DemoLog) {
    var stretches: [[Shown]] = []
    for shown in seen {
      if stretches.last?.last?.phase != shown.phase { stretches.append([]) }
      stretches[stretches.count - 1].append(shown)
    }
    #expect(stretches.compactMap { $0.first?.phase } == truth.stretches.map(\.name))
    for stretch in stretches {
      guard let last = stretch.last else { continue }
      let rises = zip(stretch, stretch.dropFirst()).count { !$0.isHigh && $1.isHigh }
      if last.phase == "canvas" {
        #expect(last.isHigh && rises <= 1 && last.isOfTheProgram && !last.isIdle, "\(stretch)")
      } else {
        // The values of the canvas stay for a moment, and do not come back.
        #expect(!last.isHigh && rises == 0 && last.isIdle, "\(stretch)")
      }
    }
  }
}
