/// A value, or the reason why there is none.
@frozen public enum Reading<Value: BitwiseCopyable & Sendable>: BitwiseCopyable, Sendable {
  case value(Value)
  case absent(Absence)

  /// The value, or `nil`.
  @inlinable public var value: Value? {
    switch self {
    case .value(let value): return value
    case .absent: return nil
    }
  }

  @inlinable public func map<Other>(_ transform: (Value) -> Other) -> Reading<Other> {
    switch self {
    case .value(let value): return .value(transform(value))
    case .absent(let reason): return .absent(reason)
    }
  }
}

extension Reading: Equatable where Value: Equatable {}

/// Why a value is missing; it is shown instead of the value.
public enum Absence: UInt8, BitwiseCopyable, Sendable, CaseIterable {
  /// It has not been read yet, or a rate has only one sample so far.
  case pending
  /// The kernel does not let this user read it: another user's process, or one that may not be traced
  /// (ptrace(2), access mode checking).
  case permission
  /// This kernel, or this way of reading, does not have it.
  case unsupported
  /// The process has ended.
  case ended
  /// A kernel thread has no memory of its own.
  case kernelThread
  /// Reading it would stall the target; it is read when asked for.
  case tooCostly
  /// It was not requested.
  case notRequested
  /// It is a sum over threads, of which there are too many to read.
  case manyThreads
  /// It was read, but the memory has changed since: it says nothing about now.
  case outdated
  /// The program has drawn nothing.
  case noFrames
  /// An animation hides which frame answers a key.
  case unclear
}
