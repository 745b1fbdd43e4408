/// The kinds of records in a file. A number is never reused for another kind.
enum RecordKind: Int, CaseIterable, Sendable {
  case sample = 1
  case memory
  case phasePending
  /// A list. Its rows and mappings follow as separate records.
  case processes
  case processRow
  case mapping
  /// Frames, output and cells, packed: `ActivityCode`.
  case activity
  case answer
  case unclearAnswer
  case event
  case loadingEnded
  case loadingGroup
  case unansweredKey
  case target
  case program
  case mark
  case peaksReset
  case interval
  case resumed
  case clock
  // 21 was a count of lost samples.
  case eventsLost = 22
  case listener
  case eventsBad
  /// The end of the run: not a `Record`.
  case end
  case machine

  /// The name in the schema.
  var name: String { "\(self)" }

  /// The greatest number of a kind.
  static var greatest: Int { allCases.reduce(0) { max($0, $1.rawValue) } }
}

/// One of the packed entries of an activity record.
enum ActivityCode: UInt8, Sendable {
  case tickFrame
  case terminalFrame
  case appFrame
  case mergedFrame
  case updateFrame
  /// Followed by the number of bytes.
  case output
  /// Followed by the number of written cells, and of those that did not change.
  case cells
  /// A frame with missed frames before it; followed by its source and their number.
  case missedFrame
  /// Another frame reported by the program: the event differs from the previous one only in its time and sequence
  /// number.
  case reportedFrame
  /// Output and a synchronized update with the same time, in this order; followed by the number of bytes.
  case outputUpdate
  /// Output and a frame of the terminal with the same time.
  case outputFrame

  /// The entry for output together with this frame, both at the same time; `nil` if there is none.
  var withOutput: ActivityCode? {
    switch self {
    case .updateFrame: .outputUpdate
    case .terminalFrame: .outputFrame
    default: nil
    }
  }

  /// The series to which its time belongs: times are predicted within a series.
  var series: Int {
    switch self {
    case .output, .outputUpdate, .outputFrame: 1
    case .cells: 2
    case .reportedFrame: 3
    default: 0
    }
  }

  /// The first column of its numbers.
  var firstColumn: Int {
    switch self {
    case .cells: 1
    case .missedFrame: 3
    default: 0
    }
  }
}
