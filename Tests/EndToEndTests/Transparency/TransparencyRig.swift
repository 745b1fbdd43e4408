import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// How a case is played beside the bare run.
enum TransparencyMode: String, CaseIterable, Sendable {
  /// The HUD shows: what it covers is not compared. After each step it is hidden for a moment, and
  /// everything is compared.
  case shown
  /// The machinery runs and draws what is beneath: everything is compared.
  case ghost

  /// A HUD that is masked has to stay where it is.
  var options: [String] { self == .ghost ? ["--ghost"] : ["--no-step-aside"] }
}

/// Plays cases bare and below the HUD and compares what the terminals show whenever nothing moves.
struct TransparencyRig<Stage: TransparencyStage> {
  /// Seconds for which a wrapped run has to stay equal.
  private let rest = 0.08
  /// Seconds without any change after which a difference is final, if nothing works any more then.
  private static var patience: Double { 3 }
  /// Seconds that a step takes at most.
  private let limit = 30.0

  /// What starts a command with the options below perfhud.
  typealias Wrapper = (_ command: [String], _ options: [String]) throws(ToolError) -> [String]

  private let transparencyCase: TransparencyCase
  private let wrapper: Wrapper
  /// Whether there is a HUD to look for and to hide.
  private let hasHUD: Bool
  /// Whether pictures of a difference stay in the temporary directory.
  private let keepsPictures: Bool
  private let scratch: TemporaryDirectory

  init(
    _ transparencyCase: TransparencyCase, hasHUD: Bool = !Overlay.isControl,
    wrapper: @escaping Wrapper = { command, options throws(ToolError) in
      try Overlay.wrap(command, options: options)
    }, keepsPictures: Bool = true
  ) throws {
    self.transparencyCase = transparencyCase
    self.wrapper = wrapper
    self.keepsPictures = keepsPictures
    self.hasHUD = hasHUD
    scratch = try TemporaryDirectory()
  }

  /// Plays the case in all modes, and records an issue for the first difference of each.
  static func run(
    _ transparencyCase: TransparencyCase, modes: [TransparencyMode] = TransparencyMode.allCases
  ) throws {
    guard Overlay.plays(transparencyCase.name) else { return }
    for _ in 0..<(Overlay.isLong ? 3 : 1) {
      let rig = try TransparencyRig(transparencyCase)
      var bare = try rig.playBare()
      for mode in modes {
        var bareRuns = 1
        while let finding = try rig.play(mode, bare) {
          // A program that does not do the same twice without perfhud proves nothing.
          let again = try rig.playBare()
          bareRuns += 1
          if again == bare || bareRuns > bareLimit {
            try rig.report(finding)
            break
          }
          bare = again
        }
      }
    }
  }

  /// So often a case is played bare until it does the same twice.
  private static var bareLimit: Int { 4 }

  /// Plays the case in one mode.
  func play(_ mode: TransparencyMode) throws {
    if let finding = try play(mode, try playBare()) { try report(finding) }
  }

  private var home: String { scratch.file("home") }
  private var done: String { scratch.file("done") }

  /// Makes the home directory anew and starts the program in it.
  private func start(wrapped options: [String]?) throws -> Stage {
    let prepared = try Tool.run([
      "sh", "-c",
      "rm -rf \"$0\" \"$2\"; mkdir \"$0\" && cd \"$0\" && unset CDPATH && eval \"$1\"", home,
      transparencyCase.preparation, done,
    ])
    guard prepared.status == .exit(0) else {
      throw ToolError("preparation of \(transparencyCase.name): \(prepared.stderr)")
    }
    var command = transparencyCase.command
    if let script = transparencyCase.script {
      let player = try Programs.compile("play")
      try TestFile.write(script.file, to: scratch.file("script"))
      command = [player, scratch.file("script"), done] + (options == nil ? ["fast"] : [])
    }
    if command == ["$windows"] {
      command = [try Programs.compile("windows", libraries: ["ncursesw"])]
    }
    if let options { command = try wrapper(command, options) }
    let standard = [
      "HOME": home, "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC",
      "TERM": Stage.terminal, "USER": "user", "LOGNAME": "user", "SHELL": "/bin/sh",
    ]
    let environment = standard.merging(transparencyCase.environment) { $1 }
    return try Stage(
      columns: transparencyCase.columns, rows: transparencyCase.rows,
      command: ["env", "-i"] + environment.sorted(by: { $0.key < $1.key }).map { "\($0)=\($1)" }
        + command, directory: home)
  }

  private func perform(_ step: TransparencyStep, _ stage: Stage) throws(ToolError) {
    switch step.action {
    case .type(let text): try stage.type(Array(text.utf8))
    case .resize(let columns, let rows): try stage.resize(columns: columns, rows: rows)
    }
  }

  // MARK: - Bare

  /// Plays the case without perfhud, and returns the picture after the start and after each step.
  private func playBare() throws -> [Stage.Picture] {
    let stage = try start(wrapped: nil)
    var pictures: [Stage.Picture] = []
    // The player draws nothing before its first step.
    for step in [transparencyCase.start] + transparencyCase.steps {
      if !pictures.isEmpty { try perform(step, stage) }
      do throws(ToolError) {
        pictures.append(try settle(stage, step.condition))
      } catch {
        throw ToolError("\(Stage.name), \(transparencyCase.name), '\(step.label)', bare: \(error)")
      }
    }
    return pictures
  }

  /// Waits until the condition holds and nothing moves, and returns the picture.
  private func settle(
    _ stage: Stage, _ condition: TransparencyStep.Condition
  ) throws(ToolError) -> Stage.Picture {
    let deadline = Instant.now().advanced(bySeconds: limit)
    var picture = try waitForQuiet(stage, condition, condition.quiet, deadline)
    while Stage.dependsOnPainting {
      try stage.repaint()
      let again = try waitForQuiet(stage, condition, 0.04, deadline)
      if again == picture { break }
      picture = again
    }
    return picture
  }

  private func waitForQuiet(
    _ stage: Stage, _ condition: TransparencyStep.Condition, _ quiet: Double, _ deadline: Instant
  ) throws(ToolError) -> Stage.Picture {
    var last = try stage.picture()
    var since = Instant.now()
    while true {
      usleep(5000)
      let picture = try stage.picture()
      let now = Instant.now()
      if picture != last {
        last = picture
        since = now
      } else if now.seconds(since: since) >= quiet {
        // What is asked last is what costs most.
        if case .played(let count) = condition, TestFile.size(done) < count {
          since = now
        } else if Stage.holds(condition, picture), try stage.isIdle {
          return picture
        } else {
          since = now
        }
      }
      guard now < deadline else {
        throw ToolError("not quiet, or not \(condition), within \(limit) s")
      }
    }
  }

  // MARK: - Wrapped

  /// Plays the case below perfhud and compares; returns the first difference.
  private func play(_ mode: TransparencyMode, _ bare: [Stage.Picture]) throws -> Finding? {
    let stage = try start(wrapped: mode.options)
    var columns = transparencyCase.columns
    var rows = transparencyCase.rows
    var withHistory = true
    var hasSeenHUD = false
    for (index, step) in ([transparencyCase.start] + transparencyCase.steps).enumerated() {
      if index > 0 { try perform(step, stage) }
      if case .resize(let newColumns, let newRows) = step.action {
        (columns, rows) = (newColumns, newRows)
      }
      if step.leavesResidue { withHistory = false }
      let hud = mode == .shown ? Overlay.rect(columns: columns, rows: rows) : nil
      func compare(_ what: String, covered: CellRect?) throws -> Finding? {
        // What pauses by itself bare does so below perfhud.
        try follow(
          stage, bare[index], step: step, covered: covered, withHistory: withHistory,
          patience: max(Self.patience, step.condition.quiet + 2)
        )
        .map {
          Finding(
            failure: $0, bare: bare[index], step: "step \(index) '\(step.label)', \(what)",
            file: "\(index)-\(what)")
        }
      }
      guard step.isCompared else {
        _ = try follow(
          stage, bare[index], step: step, covered: hud, withHistory: false, patience: 0.5)
        continue
      }
      if let finding = try compare(mode.rawValue, covered: hud) { return finding }
      if mode == .shown, hasHUD {
        let lacking = try waitForHUD(stage, bare[index])
        if lacking == nil { hasSeenHUD = true }
        if let picture = lacking,
          !transparencyCase.losesHUD || index + 1 == bare.count && !hasSeenHUD
        {
          return Finding(
            failure: Failure(text: "the HUD is not on the screen", picture: picture),
            bare: bare[index], step: "step \(index) '\(step.label)', shown", file: "\(index)-none")
        }
        kill(pid_t(try stage.pid), SIGUSR1)
        if let finding = try compare("hidden", covered: nil) { return finding }
        if index < transparencyCase.steps.count { kill(pid_t(try stage.pid), SIGUSR1) }
      }
    }
    return nil
  }

  private struct Failure {
    let text: String
    let picture: Stage.Picture
  }

  private struct Finding {
    let failure: Failure
    let bare: Stage.Picture
    let step: String
    /// The part of the pictures' names that tells them from others.
    let file: String
  }

  /// Waits until the terminal shows what it shows bare, and stays so. Returns what differs if it does
  /// not come to that.
  private func follow(
    _ stage: Stage, _ expected: Stage.Picture, step: TransparencyStep, covered: CellRect?,
    withHistory: Bool, patience: Double = patience
  ) throws -> Failure? {
    let deadline = Instant.now().advanced(bySeconds: limit)
    var equalSince: Instant?
    var lastText: String?
    var lastChange = Instant.now()
    var repainted = lastChange
    var isRepainted = false
    var last: (picture: Stage.Picture, difference: String?)?
    while true {
      let picture = try stage.picture()
      let now = Instant.now()
      if last?.picture != picture {
        let difference = Stage.difference(
          picture, from: expected, covered: covered, withHistory: withHistory)
        last = (picture, difference)
      }
      var text = last?.difference
      if case .played(let count) = step.condition, TestFile.size(done) < count {
        text = "the player has not written its step"
      }
      if text != lastText {
        lastText = text
        lastChange = now
      }
      if let text {
        equalSince = nil
        if now > deadline { return Failure(text: text, picture: picture) }
        if now.seconds(since: lastChange) > patience {
          if try stage.isIdle { return Failure(text: text, picture: picture) }
          // Nothing has changed because a program takes its time: it may rest for a moment meanwhile.
          lastChange = now
        }
        // What came after the last repainting may have been painted in another order.
        if now.seconds(since: repainted) > 0.3 {
          try stage.repaint()
          repainted = Instant.now()
        }
      } else if !isRepainted, Stage.dependsOnPainting {
        try stage.repaint()
        repainted = Instant.now()
        isRepainted = true
      } else if let equalSince {
        if now.seconds(since: equalSince) >= rest { return nil }
      } else {
        equalSince = now
      }
      usleep(5000)
    }
  }

  /// Waits until something of the HUD stands on the screen: a HUD that is never drawn would pass.
  /// Returns the picture if there is none, and nothing works that might draw it.
  private func waitForHUD(
    _ stage: Stage, _ bare: Stage.Picture
  ) throws(ToolError) -> Stage.Picture? {
    let deadline = Instant.now().advanced(bySeconds: limit)
    var since = Instant.now()
    while true {
      let picture = try stage.picture()
      if Stage.difference(picture, from: bare, covered: nil, withHistory: false) != nil {
        return nil
      }
      let now = Instant.now()
      if now > deadline { return picture }
      if now.seconds(since: since) > Self.patience {
        if try stage.isIdle { return picture }
        since = now
      }
      usleep(5000)
    }
  }

  private func report(_ finding: Finding) throws {
    let kept = try keepsPictures ? keep(finding) : ""
    Issue.record(
      """
      \(Stage.name), \(transparencyCase.name), \(finding.step): \(finding.failure.text)
      \(kept)
      """)
  }

  /// Writes both pictures and returns where they are.
  private func keep(_ finding: Finding) throws -> String {
    let made = try Tool.run(["mktemp", "-d", "/tmp/perfhud-transparency-XXXXXX"])
    let folder = made.lines.first ?? "/tmp"
    let name = "\(folder)/\(Stage.name)-\(transparencyCase.name)-\(finding.file)"
    try Stage.save(finding.bare, as: name + "-bare")
    try Stage.save(finding.failure.picture, as: name + "-wrapped")
    if let script = transparencyCase.script {
      try TestFile.write(script.file, to: "\(folder)/script")
    }
    return "pictures: \(folder)"
  }
}
