/// The last sample of a process.
extension Sample {
  /// Keeps the figures, and says of those that were never read that they will not come.
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
  /// A figure that is still pending when the process ends will not come.
  fileprivate mutating func end() {
    if case .absent(.pending) = self { self = .absent(.ended) }
  }
}
