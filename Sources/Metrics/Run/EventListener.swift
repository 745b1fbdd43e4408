import Base

/// Who receives the events of the program.
public enum EventListener: UInt8, BitwiseCopyable, Sendable, CaseIterable {
  /// This perfhud; also where the program has reported nothing so far, whoever would receive it.
  case here
  /// Another perfhud that shows the same process, and was there before.
  case otherHUD
  /// The perfhud below which the program was started.
  case hudAbove
  /// There is no place for a socket.
  case nobody

  /// Why no events are received here.
  public var word: Word? {
    switch self {
    case .here: nil
    case .otherHUD: .heardByOther
    case .hudAbove: .heardAbove
    case .nobody: .heardByNobody
    }
  }
}
