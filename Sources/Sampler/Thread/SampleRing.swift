import Synchronization

/// Passes samples from one thread to another without a lock.
///
/// One thread calls `push`, one thread calls `pop`. A full ring drops the newest sample, and the next sample that
/// finds room counts it as missed. The last slot is kept for the sample that reports the end of the process.
@safe final class SampleRing: @unchecked Sendable {
  /// At 50 samples a second the reader may be busy for 2.5 s before a sample is dropped.
  static let capacity = 128

  // Slots between `read` and `written` belong to the reader, the others to the writer.
  private let slots: UnsafeMutablePointer<Sample>
  private let written = Atomic<Int>(0)
  private let read = Atomic<Int>(0)
  /// The number of samples dropped since the start; belongs to the writer.
  private var dropped: UInt32 = 0

  init() {
    unsafe slots = .allocate(capacity: SampleRing.capacity)
    unsafe slots.initialize(repeating: Sample(), count: SampleRing.capacity)
  }

  deinit { unsafe slots.deallocate() }

  /// Appends a sample, with the dropped ones among its missed ones; called by the writing thread only.
  ///
  /// - Returns: whether there was a free slot.
  @discardableResult
  func push(_ sample: Sample) -> Bool {
    let end = written.load(ordering: .relaxed)
    let used = end - read.load(ordering: .acquiring)
    guard used < SampleRing.capacity - (sample.hasEnded ? 0 : 1) else {
      dropped &+= 1
      return false
    }
    unsafe slots[end % SampleRing.capacity] = sample
    unsafe slots[end % SampleRing.capacity].missed &+= dropped
    written.store(end + 1, ordering: .releasing)
    return true
  }

  /// The number of waiting samples. Called by the writing thread only; may be too low, never too high.
  var count: Int { written.load(ordering: .relaxed) - read.load(ordering: .acquiring) }

  /// Whether a sample waits; called by the reading thread only.
  var hasNext: Bool { read.load(ordering: .relaxed) < written.load(ordering: .acquiring) }

  /// The number of waiting samples; called by the reading thread only.
  var waiting: Int { written.load(ordering: .acquiring) - read.load(ordering: .relaxed) }

  /// Takes the oldest sample; called by the reading thread only.
  func pop() -> Sample? {
    let start = read.load(ordering: .relaxed)
    guard start < written.load(ordering: .acquiring) else { return nil }
    let sample = unsafe slots[start % SampleRing.capacity]
    read.store(start + 1, ordering: .releasing)
    return sample
  }
}
