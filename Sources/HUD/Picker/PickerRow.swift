import PerfHUDBase
import Sampler

/// A process in the picker.
package struct PickerRow: Sendable {
  package var process: ProcessCandidate
  /// The name of its user, harmless for a terminal.
  package var user: String
  /// Its name and its command line, in lower case.
  private let name: [Unicode.Scalar]
  private let line: [Unicode.Scalar]
  private let pid: [Unicode.Scalar]

  package init(_ process: ProcessCandidate, user: String) {
    self.process = process
    self.user = user
    name = process.name.text.unicodeScalars.map(\.folded)
    line = process.commandLine.unicodeScalars.map(\.folded)
    pid = Array("\(process.target.pid)".unicodeScalars)
  }

  var target: Target { process.target }

  /// The first sort key: tenths of a percent, as displayed.
  var cpuRank: Double { ((process.cpuPercent ?? 0) * 10).rounded() }

  /// Whether each word is in its name or its command line, or is the beginning of its pid.
  func matches(_ words: [[Unicode.Scalar]]) -> Bool {
    words.allSatisfy { word in
      pid.starts(with: word) || PickerRow.contains(word, in: name)
        || PickerRow.contains(word, in: line)
    }
  }

  private static func contains(_ word: [Unicode.Scalar], in text: [Unicode.Scalar]) -> Bool {
    guard word.count <= text.count else { return false }
    for start in 0...(text.count - word.count) where text[start...].starts(with: word) {
      return true
    }
    return false
  }
}
