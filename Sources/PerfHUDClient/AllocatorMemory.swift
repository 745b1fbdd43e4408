import CLinux
import Synchronization

/// What the allocator holds without need: memory that the program has freed and the kernel still
/// counts, which looks like a leak and is none.
///
/// A program that calls `report` when it leaves a phase, within a second before or a few after, is judged
/// by what it keeps itself: the verdict on the phase then says what the allocator holds apart.
public enum AllocatorMemory {
  /// What was free when pages were given back last is counted as free for ever, and is in no memory.
  private static let givenBack = Atomic<UInt64>(0)

  /// Bytes that the program has freed and the allocator has not given back.
  ///
  /// It takes the allocator's locks, one after another: some microseconds. Source: `mallinfo2(3)`.
  public static var retainedBytes: UInt64 {
    let free = freeBytes
    // Of what was given back a part has been taken again.
    let (_, given) = givenBack.min(free, ordering: .relaxed)
    return free - given
  }

  private static var freeBytes: UInt64 {
    var taken: UInt64 = 0
    var free: UInt64 = 0
    unsafe perfhud_allocator(&taken, &free)
    return free
  }

  /// Shows the HUD how much is held, as the value `allocator.retained`.
  @discardableResult
  public static func report() -> UInt64 {
    let bytes = retainedBytes
    PerfHUD.value("allocator.retained", Double(bytes), unit: "B")
    return bytes
  }

  /// Gives back whole pages that are free, and shows the HUD how much was held before and after: what a
  /// phase keeps after this is the program's own, and that of others with which it shares a page.
  ///
  /// It walks through the whole heap, which may take milliseconds. Source: `malloc_trim(3)`.
  @discardableResult
  public static func trim() -> (before: UInt64, after: UInt64) {
    let before = report()
    _ = perfhud_give_back()
    givenBack.store(freeBytes, ordering: .relaxed)
    return (before, report())
  }
}
