import Base
import Sampler

/// What a run began with.
public struct FirstSample: BitwiseCopyable, Sendable {
  public let time: Instant
  /// CPU time that the target had used before, in seconds; `nil` if it could not be read.
  public let cpuSeconds: Double?
  /// When the target started.
  public let targetStart: Instant

  init(_ sample: Sample) {
    time = sample.time
    cpuSeconds = sample.cpuNanoseconds.value.map { Double($0) * 1e-9 }
    targetStart = sample.time.advanced(
      byNanoseconds: -Int64(clamping: min(sample.ageNanoseconds, sample.time.nanoseconds)))
  }
}
