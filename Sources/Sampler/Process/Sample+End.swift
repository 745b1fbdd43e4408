/// The last sample of a process.
extension Sample {
  /// Takes what the kernel has counted of the CPU time of a process that has ended and was waited for, where
  /// it is more than was read: /proc has it of descendants in whole ticks only.
  ///
  /// - Parameters:
  ///   - nanoseconds: of the process and of the descendants that it had waited for.
  ///   - includesDescendants: whether the sample does so too.
  ///
  /// Source: `wait4(2)`, `ru_utime` and `ru_stime`.
  public mutating func raiseCPU(toNanoseconds nanoseconds: UInt64, includesDescendants: Bool) {
    guard includesDescendants, let read = cpuNanoseconds.value, nanoseconds > read else { return }
    cpuNanoseconds = .value(nanoseconds)
  }

  /// Keeps the values, and says of those that were never read that they will not come.
  mutating func end(state: ProcessState) {
    hasEnded = true
    self.state = state
    cpuNanoseconds.end()
    processCPUNanoseconds.end()
    cpuWaitNanoseconds.end()
    voluntarySwitches.end()
    involuntarySwitches.end()
    throttledNanoseconds.end()
    cgroupMemoryBytes.end()
    limitUsedBytes.end()
    residentBytes.end()
    anonymousBytes.end()
    sharedMemoryBytes.end()
    swapBytes.end()
    pageTableBytes.end()
    limitBytes.end()
    threads.end()
    usableProcessors.end()
    minorFaults.end()
    majorFaults.end()
    readBytes.end()
    writeBytes.end()
  }
}

extension Reading {
  /// A value that is still pending when the process ends will not come.
  fileprivate mutating func end() {
    if case .absent(.pending) = self { self = .absent(.ended) }
  }
}
