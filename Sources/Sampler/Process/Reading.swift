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

/// Why a value is missing; shown in place of the value.
public enum Absence: UInt8, BitwiseCopyable, Sendable, CaseIterable {
  /// It has not been read yet, or is a rate and there has been only one sample.
  case pending
  /// The kernel does not let this user read it: the process belongs to another user, or may not be traced (ptrace(2),
  /// access mode checking).
  case permission
  /// This kernel, or this way of reading, does not have it.
  case unsupported
  /// The process has ended.
  case ended
  /// A kernel thread has no memory of its own.
  case kernelThread
  /// Reading it would stall the target; it is read on request only.
  case tooCostly
  /// It was not requested.
  case notRequested
  /// It is a sum over too many threads to read.
  case manyThreads
  /// It was read, but memory has changed too much since then.
  case outdated
  /// The program has not drawn anything.
  case noFrames
  /// An animation makes it unclear which frame answers a key.
  case unclear
}
