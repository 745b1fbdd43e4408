import CLinux
import Glibc
import SystemPackage

/// Wakes one thread from another. Source: `eventfd(2)`.
package struct EventDescriptor: ~Copyable, Sendable {
  private let descriptor: Descriptor

  package init() throws(SystemError) {
    let raw = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    guard raw >= 0 else {
      throw SystemError(call: "eventfd", subject: "wake-up", code: Errno(rawValue: errno))
    }
    descriptor = Descriptor(owning: raw)
  }

  package var raw: Int32 { descriptor.raw }

  /// Makes the descriptor readable until `drain`.
  package func signal() {
    var one: UInt64 = 1
    _ = unsafe Glibc.write(raw, &one, 8)
  }

  package func drain() {
    var value: UInt64 = 0
    _ = unsafe Glibc.read(raw, &value, 8)
  }
}
