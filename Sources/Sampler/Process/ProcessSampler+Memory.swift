import PerfHUDBase

/// The memory of the process: statm, read through another thread if the main thread has ended.
extension ProcessSampler {
  /// Whether memory may have been swapped out or in since swap was read.
  var mayHaveSwapped: Bool {
    guard let now = latest.anonymousBytes.value, let then = anonymousAtLowRate else { return false }
    let tolerated = ProcessSampler.swapTolerance
    return now &+ tolerated < then || (latest.swapBytes.value ?? 0 > 0 && then &+ tolerated < now)
  }

  /// Reads statm.
  ///
  /// - Returns: whether it shows no memory, as for a zombie; `nil` if the process has ended.
  mutating func readMemory() -> Bool? {
    let memory: StatmFields?
    do {
      memory = try files.statm.read(as: StatmFields.self)
    } catch .ended {
      // The clock may already belong to the next process with this pid.
      readLastMemoryEvents()
      latest.end(state: .dead)
      noteUnreadEnd()
      return nil
    } catch {
      memory = nil
      latest.residentBytes = .absent(error.absence)
      latest.anonymousBytes = .absent(error.absence)
    }
    if let memory, memory.sizePages > 0 {
      setMemory(memory)
      // Another thread has executed a program and thereby become the main thread.
      if files.threadStatm != nil { openMemoryFiles(thread: nil) }
    }
    return memory?.sizePages == 0 && !facts.isKernelThread
  }

  /// Notes that the process was reaped before its last CPU time could be read.
  private mutating func noteUnreadEnd() {
    if tree == nil { latest.unknownEnds = 1 } else { tree?.noteUnreadRoot() }
  }

  mutating func setMemory(_ memory: StatmFields) {
    latest.residentBytes = .value(memory.residentPages &* units.pageBytes)
    latest.anonymousBytes = .value(memory.anonymousPages &* units.pageBytes)
    latest.reporter = ProcessMemory(
      pid: latest.pid, residentBytes: memory.residentPages &* units.pageBytes,
      anonymousBytes: memory.anonymousPages &* units.pageBytes)
  }

  /// Reads the memory through another thread. It is the same for all threads, but /proc/PID shows that of the main
  /// thread.
  mutating func readMemoryOfAnotherThread() {
    for _ in 0..<2 {
      if let memory = (try? files.threadStatm?.read(as: StatmFields.self)) ?? nil,
        memory.sizePages > 0
      {
        setMemory(memory)
        return
      }
      // There is no such thread yet, or it has ended too: look for another one.
      guard let thread = directory.thread(otherThan: facts.target.pid) else { return }
      openMemoryFiles(thread: thread)
    }
  }

  /// Opens the files that show the memory through another thread, or through the main thread again.
  private mutating func openMemoryFiles(thread: Int32?) {
    let prefix = thread.map { "task/\($0)/" } ?? ""
    files.threadStatm = thread == nil ? nil : try? directory.file("\(prefix)statm", capacity: 256)
    files.status = OptionalFile("\(prefix)status", in: directory, capacity: StatusFields.capacity)
    pss.reopen("\(prefix)smaps_rollup", in: directory)
  }
}
