import PerfHUDBase
import Sampler

/// Frames: which source counts, and their metrics.
extension Run {
  /// Adds a frame. Only frames of the source that says most about the program are counted.
  mutating func addFrame(
    _ time: Instant, _ source: FrameSource, missed: UInt32, milliseconds: Double? = nil,
    isMerged: Bool = false, isUpdate: Bool = false
  ) {
    if let leading = frames?.source, leading.rawValue > source.rawValue { return }
    drawing.addFrame(source, isUpdate: isUpdate)
    if source == .terminal { keyedFrames.addFrame(at: time) }
    if frames?.source != source {
      frames = FrameStatistics(source: source)
    }
    frames?.add(time, missed: missed, milliseconds: milliseconds, isMerged: isMerged)
  }

  mutating func applyFrames(to row: inout Row) {
    output.apply(to: &row)
    guard frames != nil else {
      row[.fps] = .absent(.notRequested)
      row[.frameMedian] = .absent(.notRequested)
      row[.frameP99] = .absent(.notRequested)
      row[.hitches] = .absent(.notRequested)
      return
    }
    let withTimes = hasFrameTimes
    guard let summary = frames?.summary(asOf: row.time, withTimes: withTimes) else { return }
    if let source = frames?.source { drawing.update(summary, source, at: row.time) }
    row.drawsFrames = drawing.drawsFrames
    if frames?.source == .terminal, frames?.hasFrames != true {
      for metric in [Metric.fps, .frameMedian, .frameP99, .hitches] {
        row[metric] = .absent(.noFrames)
      }
      if case .absent(.pending) = row[.bytesPerFrame] { row[.bytesPerFrame] = .absent(.noFrames) }
    } else {
      row.fpsSource = frames?.source
      row[.fps] = summary.fps
      row[.frameMedian] = summary.medianMilliseconds
      row[.frameP99] = summary.p99Milliseconds
      row[.hitches] = summary.hitchMillisecondsPerSecond
      row.onePercentLow = summary.onePercentLow
      row.isIdle = summary.isIdle
      keyedFrames.update(asOf: row.time)
      row.drawsOnlyAfterKeys = frames?.source == .terminal && keyedFrames.drawsOnlyAfterKeys
      row.fpsIsLowerBound = summary.isLowerBound
    }
    output.update(frames: summary, row: &row)
  }

  /// The frame times of the whole run and their source; `nil` if there was no frame.
  package var totalFrames: (source: FrameSource, times: FrameHistogram)? {
    guard let frames, frames.total.frames > 0 else { return nil }
    return (frames.source, frames.total)
  }

  /// Whether more than 3 % of the frames of the whole run may be several, or events that may have been frames were lost.
  package var framesAreLowerBound: Bool {
    guard let frames else { return false }
    if frames.source == .app, totals.lostEvents > 0 { return true }
    return frames.isLowerBound
  }
}
