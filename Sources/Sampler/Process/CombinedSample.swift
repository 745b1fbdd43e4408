import PerfHUDBase

/// The sample of a process with its descendants: that of the process plus the sums over the descendants.
struct CombinedSample: Sendable {
  var sample = Sample()
  /// Faults of descendants that the process had waited for when its stat was last read.
  var reapedMinorFaults: UInt64 = 0
  var reapedMajorFaults: UInt64 = 0
  /// The system time of descendants that the process had waited for by then.
  var reapedSystemNanoseconds: UInt64 = 0
  /// `nil` if the PSS of a descendant may not be read.
  var pssOfDescendants: UInt64?

  private var minorFaults = MonotoneSum()
  private var majorFaults = MonotoneSum()
  /// The greatest sum so far: the time of a child that has just ended comes back with that of its parent.
  private var systemNanoseconds: UInt64 = 0
  private var readBytes = MonotoneSum()
  private var writeBytes = MonotoneSum()
  /// When the waits of the process itself were read that the sample includes.
  private var ownThreadTime = Instant(nanoseconds: 0)
  private var waits = Waits()

  /// What is read of the threads, as of the last read of all processes.
  private struct Waits: Sendable {
    var cpuNanoseconds = Reading<UInt64>.absent(.pending)
    var voluntarySwitches = Reading<UInt64>.absent(.pending)
    var involuntarySwitches = Reading<UInt64>.absent(.pending)
    var mayMissThreads = false
    var time = Instant(nanoseconds: 0)
  }

  /// Whether the process itself has new counters of its threads.
  func wantsWaits(of process: Sample) -> Bool { process.threadTime != ownThreadTime }

  /// Adds the waits of the descendants to those of the process. Call it before `update`.
  mutating func takeWaits(of process: Sample, _ descendants: TreeWaits.Taken) {
    ownThreadTime = process.threadTime
    waits = Waits(
      cpuNanoseconds: process.cpuWaitNanoseconds.map { $0 &+ descendants.nanoseconds },
      voluntarySwitches: process.voluntarySwitches,
      involuntarySwitches: process.involuntarySwitches,
      mayMissThreads: process.mayMissThreads || descendants.isLowerBound, time: descendants.time)
  }

  /// - Parameters:
  ///   - process: the sample of the process alone.
  ///   - hasReadStat: whether threads, faults and system time were read for this sample; otherwise the previous ones stay.
  ///   - reporter: the descendant that reports phases, if one does.
  mutating func update(
    _ process: Sample, _ totals: ProcessTree.Totals, leftOut: UInt32, pageBytes: UInt64,
    hasReadStat: Bool, reporter: ProcessMemory? = nil
  ) {
    let before = sample
    sample = process
    if let reporter { sample.reporter = reporter }
    sample.cpuNanoseconds = process.cpuNanoseconds.map { _ in totals.cpuNanoseconds }
    sample.leftOutProcesses = leftOut
    sample.unknownEnds = totals.losses
    setWaits()
    if process.hasEnded {
      // Keep the memory that all had before the end, not that of the processes that outlive the target.
      keepValues(of: before)
    } else {
      sample.processes = 1 + totals.processes
      sample.residentBytes = process.residentBytes.map { $0 &+ totals.residentPages &* pageBytes }
      sample.anonymousBytes = process.anonymousBytes.map {
        $0 &+ totals.anonymousPages &* pageBytes
      }
      sample.sharedMemoryBytes = process.sharedMemoryBytes.map { $0 &+ totals.sharedMemoryBytes }
      sample.swapBytes = process.swapBytes.map { $0 &+ totals.swapBytes }
      sample.pageTableBytes = process.pageTableBytes.map { $0 &+ totals.pageTableBytes }
      sample.sharedPrivateBytes = totals.sharing.sharedBytes
      sample.uncertainSharedBytes = totals.sharing.uncertainBytes
      sample.threads = process.threads.map { $0 &+ totals.threads }
      if let own = process.pssBytes.value {
        sample.pssBytes = pssOfDescendants.map { .value(own &+ $0) } ?? .absent(.permission)
      }
    }
    if hasReadStat {
      sample.minorFaults = process.minorFaults.map {
        minorFaults.update($0 &+ reapedMinorFaults &+ totals.minorFaults)
      }
      sample.majorFaults = process.majorFaults.map {
        majorFaults.update($0 &+ reapedMajorFaults &+ totals.majorFaults)
      }
      sample.systemNanoseconds = process.systemNanoseconds.map {
        max(systemNanoseconds, $0 &+ reapedSystemNanoseconds &+ totals.systemNanoseconds)
      }
      systemNanoseconds = sample.systemNanoseconds.value ?? systemNanoseconds
    } else {
      sample.minorFaults = before.minorFaults
      sample.majorFaults = before.majorFaults
      sample.systemNanoseconds = before.systemNanoseconds
    }
    if process.ioTime != before.ioTime {
      // A sum falls if a process outside the tree has waited for one that has ended.
      sample.readBytes = process.readBytes.map { _ in readBytes.update(totals.storage.read) }
      sample.writeBytes = process.writeBytes.map { _ in writeBytes.update(totals.storage.written) }
    } else {
      sample.readBytes = before.readBytes
      sample.writeBytes = before.writeBytes
    }
  }

  /// Ends the sample because the process itself has been reaped; the values stay.
  mutating func end(as process: Sample) {
    sample.end(state: process.state)
    sample.time = process.time
    sample.sequence = process.sequence
  }

  /// The waits stay until all processes have been read again.
  private mutating func setWaits() {
    sample.mayMissThreads = waits.mayMissThreads
    sample.threadTime = waits.time
    // A process that ended before all were read has its own at least.
    if sample.hasEnded, waits.time.nanoseconds == 0 { return }
    sample.cpuWaitNanoseconds = waits.cpuNanoseconds
    sample.voluntarySwitches = waits.voluntarySwitches
    sample.involuntarySwitches = waits.involuntarySwitches
  }

  private mutating func keepValues(of before: Sample) {
    guard before.time.nanoseconds > 0 else { return }
    sample.processes = before.processes
    sample.residentBytes = before.residentBytes
    sample.anonymousBytes = before.anonymousBytes
    sample.sharedMemoryBytes = before.sharedMemoryBytes
    sample.swapBytes = before.swapBytes
    sample.pageTableBytes = before.pageTableBytes
    sample.sharedPrivateBytes = before.sharedPrivateBytes
    sample.uncertainSharedBytes = before.uncertainSharedBytes
    sample.pssBytes = before.pssBytes
    sample.threads = before.threads
  }
}
