import PerfHUDBase
import Sampler

/// The values that a row takes from its sample unchanged.
extension Row {
  init(_ sample: Sample) {
    self.init()
    time = sample.time
    sequence = sample.sequence
    pid = sample.pid
    name = sample.name
    state = sample.state
    hasEnded = sample.hasEnded
    processEnd = sample.processEnd
    isProvisional = sample.isProvisional
    ageSeconds = Double(sample.ageNanoseconds) * 1e-9
    cpuSource = sample.cpuSource
    limitSource = sample.limitSource
    leftOutProcesses = sample.leftOutProcesses
    uncountedChildren = sample.uncountedChildren
    usableProcessors = sample.usableProcessors
    ownBytes = sample.ownAnonymousBytes
    pssAgeSeconds = max(0, sample.time.seconds(since: sample.pssTime))
  }

  /// The greatest that a memory metric may have been in the sample of this row, in bytes; `nil` if its value is exact.
  func greatestPossible(_ metric: Metric, _ sample: Sample) -> Double? {
    guard lowerBounds.contains(metric), let bytes = self[metric].value else { return nil }
    guard metric == .footprint, sample.leftOutProcesses == 0 else { return .infinity }
    return bytes + Double(sample.uncertainSharedBytes)
  }

  /// Memory, threads and processes.
  mutating func applyMemory(of sample: Sample) {
    let footprint = sample.footprint
    if let bytes = footprint.value, sample.isFootprintLowerBound(bytes) {
      lowerBounds.insert(.footprint)
    }
    self[.resident] = sample.residentBytes.map { Double($0) }
    self[.footprint] = footprint
    self[.pss] = sample.pssBytes.map { Double($0) }
    self[.swap] = sample.swapBytes.map { Double($0) }
    applyParts(of: sample)
    self[.memoryLimit] = sample.limitBytes.map { Double($0) }
    self[.threads] = sample.threads.map { Double($0) }
    self[.processes] =
      sample.countsAllProcesses ? .value(Double(sample.processes)) : .absent(.unsupported)
  }

  /// The parts of resident memory. Resident and anonymous memory are read for each sample, shared memory less often.
  private mutating func applyParts(of sample: Sample) {
    anonymousBytes = sample.anonymousBytes.map { Double($0) }
    sharedMemoryBytes = sample.sharedMemoryBytes.map { Double($0) }
    pageTableBytes = sample.pageTableBytes.map { Double($0) }
    forkSharedBytes = Double(sample.sharedPrivateBytes)
    fileBytes =
      switch (sample.residentBytes, sample.anonymousBytes) {
      case (.value(let resident), .value(let anonymous)):
        .value(
          max(0, Double(resident) - Double(anonymous) - (sharedMemoryBytes.value ?? 0)))
      case (.absent(let reason), _), (_, .absent(let reason)): .absent(reason)
      }
  }
}

extension Sample {
  /// Private anonymous memory, swap and page tables, in bytes: the closest to what phones call footprint. Memory that
  /// forked processes share counts once.
  fileprivate var footprint: Reading<Double> {
    anonymousBytes.map {
      let sum = Double($0) + Double(swapBytes.value ?? 0) + Double(pageTableBytes.value ?? 0)
      return max(0, sum - Double(sharedPrivateBytes))
    }
  }

  /// Whether the footprint may lack more than a twentieth and 1 MiB.
  fileprivate func isFootprintLowerBound(_ footprint: Double) -> Bool {
    leftOutProcesses > 0 || Double(uncertainSharedBytes) > max(1_048_576, footprint / 20)
  }
}
