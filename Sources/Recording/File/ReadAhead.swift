import Glibc
import PerfHUDBase

extension RecordingReader {
  /// Passes all records to a function, a batch at a time. A thread reads a few batches ahead, so a machine with two
  /// processors reads a long recording while it handles what was read.
  mutating func readAhead(_ body: (borrowing RecordBatch) -> Void) {
    var batch = RecordBatch()
    read(&batch)
    body(batch)
    // A short recording has only one.
    guard batch.isFull, !ReadAhead.readAll(from: &self, body) else { return }
    while batch.isFull {
      read(&batch)
      body(batch)
    }
  }
}

/// A ring of batches between the thread that reads them and the one that handles them.
///
/// A batch belongs to the reading thread until it is counted by `filled`, and to the other one until it is counted by
/// `free`. The last batch is the one that is not full.
@safe private final class ReadAhead: @unchecked Sendable {
  private let reader: UnsafeMutablePointer<RecordingReader>
  private let batches: UnsafeMutablePointer<RecordBatch>
  private let free = Semaphore(ReadAhead.capacity)
  private let filled = Semaphore(0)

  private static let capacity = 4

  private init(_ reader: UnsafeMutablePointer<RecordingReader>) {
    unsafe self.reader = unsafe reader
    unsafe batches = .allocate(capacity: ReadAhead.capacity)
    for index in 0..<ReadAhead.capacity {
      unsafe batches.advanced(by: index).initialize(to: RecordBatch())
    }
  }

  deinit {
    unsafe batches.deinitialize(count: ReadAhead.capacity)
    unsafe batches.deallocate()
  }

  /// Reads to the end of a recording.
  ///
  /// - Returns: whether a thread could be started; otherwise nothing was read.
  static func readAll(
    from reader: inout RecordingReader, _ body: (borrowing RecordBatch) -> Void
  ) -> Bool {
    unsafe withUnsafeMutablePointer(to: &reader) { reader in
      let ring = unsafe ReadAhead(reader)
      let argument = unsafe Unmanaged.passRetained(ring)
      guard
        let thread = try? unsafe WorkerThread.start("reading", argument.toOpaque(), readAheadMain)
      else {
        unsafe argument.release()
        return false
      }
      ring.handleAll(body)
      pthread_join(thread, nil)
      return true
    }
  }

  private func handleAll(_ body: (borrowing RecordBatch) -> Void) {
    var number = 0
    while true {
      filled.wait()
      let batch = unsafe batches.advanced(by: number % ReadAhead.capacity)
      unsafe body(batch.pointee)
      guard unsafe batch.pointee.isFull else { return }
      free.signal()
      number += 1
    }
  }

  /// The thread's body.
  func readAll() {
    var number = 0
    var isMore = true
    while isMore {
      free.wait()
      let batch = unsafe batches.advanced(by: number % ReadAhead.capacity)
      unsafe reader.pointee.read(&batch.pointee)
      isMore = unsafe batch.pointee.isFull
      filled.signal()
      number += 1
    }
  }
}

/// It is a free function, because a closure would be isolated to the actor it is written in.
private func readAheadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument = unsafe argument else { return nil }
  WorkerThread.setName("perfhud-reader")
  unsafe Unmanaged<ReadAhead>.fromOpaque(argument).takeRetainedValue().readAll()
  return nil
}

/// A count on which threads wait. Source: `sem_init(3)`, `sem_wait(3)`, `sem_post(3)`.
@safe private struct Semaphore: ~Copyable {
  private let pointer = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init(_ count: Int) { unsafe sem_init(pointer, 0, UInt32(count)) }

  deinit {
    unsafe sem_destroy(pointer)
    unsafe pointer.deallocate()
  }

  /// Waits until the count is above 0, and reduces it by one.
  func wait() {
    // A signal may interrupt it.
    while unsafe sem_wait(pointer) != 0 {}
  }

  func signal() { unsafe sem_post(pointer) }
}
