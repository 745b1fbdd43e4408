import TestSupport
import Testing

/// A program and what is done with it, to be played bare and below the HUD.
struct TransparencyCase: Sendable, CustomTestStringConvertible {
  let name: String
  /// A shell script that fills the home directory before each run, in which the program starts.
  var preparation = ""
  /// The program and its arguments.
  var command: [String]
  var environment: [String: String] = [:]
  var columns = 80
  var rows = 24
  /// Whether the screens are compared before the first step.
  var comparesStart = true
  /// What holds when the program has started: what is typed before is drawn differently.
  var startCondition = TransparencyStep.Condition.none
  var steps: [TransparencyStep]
  /// After some of the steps the HUD stays away: what is beneath it, or the state, is not modeled.
  private(set) var losesHUD = false

  /// The start, as a step.
  var start: TransparencyStep {
    var step = TransparencyStep("start", type: "", until: startCondition)
    step.isCompared = comparesStart
    return step
  }

  var testDescription: String { name }

  /// The program that has to be installed.
  var tool: String {
    if script != nil || command[0].hasPrefix("$") { return "gcc" }
    let words = command[0] == "sh" ? command[2].split(separator: " ").map(String.init) : command
    let programs: Set = ["bash", "fish", "zsh", "vim", "less", "nano", "emacs", "mc", "htop"]
    return words.first { programs.contains($0) } ?? "sh"
  }

  /// A case whose steps are written by the player, step by step.
  ///
  /// - Parameter writes: the steps; each is what is written at once, with pauses in between. `␛` stands
  ///   for ESC.
  static func played(_ name: String, _ writes: [String]...) -> TransparencyCase {
    let script = PlayerScript(
      steps: writes.map { $0.map { PlayerScript.Write(Array(unescape($0).utf8)) } })
    return played(name, script)
  }

  static func played(_ name: String, _ script: PlayerScript) -> TransparencyCase {
    var result = TransparencyCase(name: name, command: [], steps: [])
    result.script = script
    result.steps = script.steps.indices.map {
      TransparencyStep("step \($0)", type: "\u{06}", until: .played($0 + 1))
    }
    return result
  }

  /// The same case, in which the HUD may stay away after some of the steps.
  func losingHUD() -> TransparencyCase {
    var result = self
    result.losesHUD = true
    return result
  }

  /// What the player writes, if the program is the player.
  private(set) var script: PlayerScript?

  static func unescape(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "␛" ? "\u{1B}" : $0 }))
  }
}

/// One step: something is done, and then nothing moves any more.
struct TransparencyStep: Sendable {
  enum Action: Sendable {
    case type(String)
    case resize(columns: Int, rows: Int)
  }

  /// What holds, beside that nothing moves, when the step is over in the bare run.
  enum Condition: Sendable {
    case none
    /// A text in a row of the screen; asked in tmux alone.
    case shows(String)
    /// A text in no row of the screen; asked in tmux alone.
    case hides(String)
    /// How many steps the player has written.
    case played(Int)
    /// Nothing has moved for this many seconds: the program pauses by itself.
    case quiet(Double)

    /// Seconds for which nothing may move before a bare step is over: a player has said that it
    /// waits, of another program that is only seen.
    var quiet: Double {
      switch self {
      case .played: 0.05
      case .quiet(let seconds): seconds
      default: 0.15
      }
    }
  }

  let label: String
  let action: Action
  let condition: Condition
  /// Since here rows of the HUD may stand in the history: a terminal pushes them there before
  /// anybody learns of a new size.
  var leavesResidue = false
  /// Whether the screens are compared after it.
  var isCompared = true

  init(_ label: String, type text: String, until condition: Condition = .none) {
    self.label = label
    action = .type(TransparencyCase.unescape(text))
    self.condition = condition
  }

  init(_ label: String, type text: String, shows: String) {
    self.init(label, type: text, until: .shows(shows))
  }

  init(
    resize columns: Int, _ rows: Int, leavesResidue: Bool = false, isCompared: Bool = true
  ) {
    label = "resize to \(columns)x\(rows)"
    action = .resize(columns: columns, rows: rows)
    condition = .none
    self.leavesResidue = leavesResidue
    self.isCompared = isCompared
  }
}

/// What the program `play` writes.
struct PlayerScript: Sendable {
  struct Write: Sendable {
    var bytes: [UInt8]
    /// Microseconds after it: more than the HUD stays erased while output streams.
    var pause = 30_000

    init(_ bytes: [UInt8], pause: Int = 30_000) {
      self.bytes = bytes
      self.pause = pause
    }
  }

  var steps: [[Write]]

  /// The file for the program; see `Tests/Programs/play.c`.
  var file: [UInt8] {
    var bytes: [UInt8] = []
    for step in steps {
      for write in step {
        bytes += Array("w \(write.bytes.count)\n".utf8) + write.bytes
        bytes += Array("p \(write.pause)\n".utf8)
      }
      bytes += Array("k\n".utf8)
    }
    return bytes
  }
}
