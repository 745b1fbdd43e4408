/// How a command that perfhud started ended, and what it used according to the kernel.
package struct CommandEnd: Hashable, Sendable {
  package enum Status: Hashable, Sendable {
    /// The exit status, 0 to 255.
    case exited(Int32)
    /// The number of the signal that ended it.
    case signaled(Int32)
  }

  /// `nil` if unknown.
  package var status: Status?
  /// CPU time, including descendants that were waited for; `nil` if unknown.
  package var userNanoseconds: UInt64?
  package var systemNanoseconds: UInt64?
  /// The greatest resident memory of a single process.
  package var maxResidentBytes: UInt64?
  /// Whether that is only an upper bound.
  package var maxResidentIsBound: Bool
  /// Bytes read from storage and written to it, including descendants that were waited for.
  package var readBytes: UInt64?
  package var writtenBytes: UInt64?

  package init(
    status: Status?, userNanoseconds: UInt64? = nil, systemNanoseconds: UInt64? = nil,
    maxResidentBytes: UInt64? = nil, maxResidentIsBound: Bool = false,
    readBytes: UInt64? = nil, writtenBytes: UInt64? = nil
  ) {
    self.status = status
    self.userNanoseconds = userNanoseconds
    self.systemNanoseconds = systemNanoseconds
    self.maxResidentBytes = maxResidentBytes
    self.maxResidentIsBound = maxResidentIsBound
    self.readBytes = readBytes
    self.writtenBytes = writtenBytes
  }
}
