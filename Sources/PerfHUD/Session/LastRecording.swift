import HUD
import Metrics
import PerfHUDBase

/// The result of a request to write what `--record-last` keeps.
enum LastRecording: Equatable {
  /// Written to this file.
  case written(String)
  case failed(String)
  /// Nothing is kept.
  case off

  /// How long a HUD shows it.
  fileprivate static let seconds = 5.0

  /// One line for standard error.
  var text: String {
    switch self {
    case .written(let path): "recorded in \(SafeText.clean(path))"
    case .failed(let reason): reason
    case .off: "nothing to record: --record FILE --record-last 10m keeps the last minutes"
    }
  }
}

extension HUD {
  /// Shows for a while where the last part of the run was written, or why it was not.
  mutating func note(_ result: LastRecording) {
    switch result {
    // A HUD is narrow, so the folder, which the user has named, is left out.
    case .written(let path):
      let name = path.split(separator: "/").last.map(String.init) ?? path
      note(.noteRecorded, SafeText.clean(name), seconds: LastRecording.seconds)
    case .failed(let reason): say(reason, seconds: LastRecording.seconds)
    case .off: note(.noteNothingKept, seconds: LastRecording.seconds)
    }
  }
}
