import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

/// The counters of a run for metrics collectors: sums since its start, which never decrease.
///
/// Takes constant memory, and allocates nothing for a record.
package struct RunCounters: Sendable {
  /// The number of times in fixed classes.
  package struct Histogram: Sendable {
    /// The upper limits in milliseconds; the last class has no limit.
    package static let limits: [Double] = [2, 4, 8, 12, 16.7, 20, 25, 33.4, 50, 100, 250, 1000]

    /// The number of times in each class.
    package private(set) var counts = InlineArray<13, UInt64>(repeating: 0)
    package private(set) var count: UInt64 = 0
    package private(set) var nanoseconds: UInt64 = 0

    mutating func add(_ time: Int64) {
      let milliseconds = Double(time) * 1e-6
      let index = Histogram.limits.firstIndex { milliseconds <= $0 } ?? Histogram.limits.count
      counts[index] += 1
      count += 1
      nanoseconds &+= UInt64(max(0, time))
    }
  }

  /// The newest sample; `nil` before the first.
  package private(set) var sample: Sample?
  /// Frames by source: tick, terminal, program.
  package private(set) var frames = InlineArray<3, UInt64>(repeating: 0)
  /// The time from each frame of the program to the next, as found in the terminal or reported, without those that
  /// `MergedFrames` leaves out, and those of frames read together with the first one after a pause.
  package private(set) var frameTimes = Histogram()
  package private(set) var answers = Histogram()
  package private(set) var outputBytes: UInt64 = 0
  /// The first names of actions, and how often each has happened.
  package private(set) var actions: [(name: Event.Name, count: UInt64)] = []
  /// The number of actions with other names.
  package private(set) var otherActions: UInt64 = 0
  private var lastFrame: Instant?
  private var lastSource = FrameSource.tick
  /// When the frame came that ended the last pause, or the first frame.
  private var drawingSince: Instant?
  private var mergedFrames = MergedFrames()

  /// The maximum number of action names that are counted separately. The set of names never changes, so that no count
  /// decreases.
  package static let actionCapacity = 20

  package init() { actions.reserveCapacity(RunCounters.actionCapacity) }

  /// Takes a record that the run has applied.
  package mutating func take(_ record: borrowing Record) {
    switch copy record {
    case .sample(let sample): self.sample = sample
    case .activity(.frame(let time, let source, _)): add(source, at: time)
    case .activity(.mergedFrame(let time)): add(.terminal, at: time, isMerged: true)
    case .activity(.updateFrame(let time)): add(.terminal, at: time)
    case .activity(.output(let bytes, _)): outputBytes &+= bytes
    case .event(let event, let time) where event.kind == .frame:
      add(.app, at: time, milliseconds: event.number > 0 ? event.number : nil)
    case .event(let event, _) where event.kind == .action: addAction(event)
    case .answer(let nanoseconds, _): answers.add(nanoseconds)
    default: break
    }
  }

  /// Takes what the kernel has counted for the command up to its end, of which the last sample lacks a part.
  package mutating func end(_ command: CommandEnd?) {
    func raise(_ value: inout Reading<UInt64>, to final: UInt64?) {
      if let final, final > value.value ?? 0 { value = .value(final) }
    }
    guard sample != nil else { return }
    raise(&sample!.readBytes, to: command?.readBytes)
    raise(&sample!.writeBytes, to: command?.writtenBytes)
  }

  private mutating func addAction(_ event: Event) {
    let count = UInt64(event.count)
    // The name that stands for all others.
    let isOther = event.name == RunCounters.otherName
    if !isOther, let index = actions.firstIndex(where: { $0.name == event.name }) {
      actions[index].count += count
    } else if !isOther, actions.count < RunCounters.actionCapacity {
      actions.append((event.name, count))
    } else {
      otherActions += count
    }
  }

  static let otherName = Event.Name("other")

  /// - Parameters:
  ///   - milliseconds: how long the frame took, if reported by the program.
  ///   - isMerged: whether it may be several frames.
  private mutating func add(
    _ source: FrameSource, at time: Instant, milliseconds: Double? = nil, isMerged: Bool = false
  ) {
    frames[Int(source.rawValue)] += 1
    // The source that says most about the program takes precedence.
    guard source != .tick, source.rawValue >= lastSource.rawValue else { return }
    let gap = source == lastSource ? lastFrame.map { time.nanoseconds(since: $0) } : nil
    if gap ?? .max > FrameStatistics.idleGap { drawingSince = time }
    let isInFirstPiece =
      source == .terminal
      && drawingSince.map { time.nanoseconds(since: $0) < FrameStatistics.pieceTime } ?? false
    let isLeftOut = mergedFrames.leavesOut(isMerged: isMerged) || isInFirstPiece
    if let milliseconds {
      frameTimes.add(Int64(min(milliseconds, 1e9) * 1e6))
    } else if let gap, gap >= 0, gap <= FrameStatistics.idleGap, !isLeftOut {
      frameTimes.add(gap)
    }
    lastSource = source
    lastFrame = time
  }
}
