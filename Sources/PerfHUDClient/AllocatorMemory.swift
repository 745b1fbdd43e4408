import CLinux
import Synchronization

/// Memory that the program has freed but the allocator has not released. The kernel still counts it, so it looks like a
/// leak but is not one.
///
/// If a program calls `report` when it leaves a phase, at most a second before or a few seconds after, the verdict on
/// the phase separates what the program keeps from what the allocator retains.
public enum AllocatorMemory {
  /// Bytes that were free after the last `trim`. `mallinfo2` still counts them, but they are no longer in memory.
  private static let releasedBytes = Atomic<UInt64>(0)

  /// Bytes that the program has freed and the allocator has not released.
  ///
  /// Takes the allocator's locks one after another, which takes a few microseconds. Source: `mallinfo2(3)`.
  public static var retainedBytes: UInt64 {
    let free = freeBytes
    // Part of the released memory is in use again.
    let (_, given) = releasedBytes.min(free, ordering: .relaxed)
    return free - given
  }

  private static var freeBytes: UInt64 {
    var taken: UInt64 = 0
    var free: UInt64 = 0
    unsafe perfhud_allocator(&taken, &free)
    return free
  }

  /// Reports the retained bytes to the HUD as the value `allocator.retained`.
  @discardableResult
  public static func report() -> UInt64 {
    let bytes = retainedBytes
    PerfHUD.value("allocator.retained", Double(bytes), unit: "B")
    return bytes
  }

  /// Releases whole free pages, and reports the retained bytes before and after. Memory that a phase keeps after this
  /// is the program's own, apart from pages shared with free blocks.
  ///
  /// It walks through the whole heap, which may take milliseconds. Source: `malloc_trim(3)`.
  @discardableResult
  public static func trim() -> (before: UInt64, after: UInt64) {
    let before = report()
    _ = perfhud_release_memory()
    releasedBytes.store(freeBytes, ordering: .relaxed)
    return (before, report())
  }
}
