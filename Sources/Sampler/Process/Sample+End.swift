/// Ends the last sample of a process.
extension Sample {
  /// Raises the CPU time to the final value that the kernel reports for a process that was waited for, if that is
  /// greater than the value read from /proc, which has the time of descendants in whole ticks only.
  ///
  /// - Parameters:
  ///   - nanoseconds: the time of the process and of the descendants that it had waited for.
  ///   - includesDescendants: whether the sample includes them too.
  ///
  /// Source: `wait4(2)`, `ru_utime` and `ru_stime`.
  public mutating func raiseCPU(toNanoseconds nanoseconds: UInt64, includesDescendants: Bool) {
    guard includesDescendants, let read = cpuNanoseconds.value, nanoseconds > read else { return }
    cpuNanoseconds = .value(nanoseconds)
  }

  /// Keeps the values, and marks those that were never read as ended.
  mutating func end(state: ProcessState) {
    hasEnded = true
    self.state = state
    cpuNanoseconds.end()
    processCPUNanoseconds.end()
    systemNanoseconds.end()
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
  /// Marks a pending value as ended, since it will not come.
  fileprivate mutating func end() {
    if case .absent(.pending) = self { self = .absent(.ended) }
  }
}
