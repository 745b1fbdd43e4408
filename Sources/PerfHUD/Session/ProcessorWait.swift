import PerfHUDBase

/// How long the main thread was ready to run and waited for a processor. What arrived meanwhile was read late.
///
/// Source: field 2 of `/proc/self/schedstat`, in nanoseconds; 0 on a kernel without `CONFIG_SCHED_INFO`.
struct ProcessorWait: ~Copyable {
  private let file: Descriptor?
  private var last: Int64?
  private var text = [UInt8](repeating: 0, count: 96)

  init() { file = try? Descriptor(open: "/proc/self/schedstat") }

  /// The nanoseconds of waiting since the last call; 0 for the first call and after `skip`.
  mutating func sinceLast() -> Int64 {
    guard let total = read() else { return 0 }
    defer { last = total }
    return last.map { max(0, total - $0) } ?? 0
  }

  /// Excludes the time until the next call.
  mutating func skip() { last = nil }

  private mutating func read() -> Int64? {
    let count = unsafe try? text.withUnsafeMutableBytes { try unsafe file?.read(into: $0) }
    guard let count = count ?? nil else { return nil }
    var field = 0
    var value: Int64 = 0
    for byte in text[..<count] {
      if byte == 0x20 {
        field += 1
      } else if field == 1, byte &- 0x30 < 10 {
        value = value &* 10 &+ Int64(byte &- 0x30)
      }
      if field > 1 { return value }
    }
    return nil
  }
}
