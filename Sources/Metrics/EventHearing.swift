import Base

/// Who hears what the program says of itself.
public enum EventHearing: UInt8, BitwiseCopyable, Sendable, CaseIterable {
  /// This perfhud.
  case here
  /// Another perfhud that shows the same process, and was there before.
  case otherHUD
  /// The perfhud below which the program was started.
  case hudAbove
  /// There is no place for a socket.
  case nobody

  /// Why nothing is heard here.
  public var word: Word? {
    switch self {
    case .here: nil
    case .otherHUD: .heardByOther
    case .hudAbove: .heardAbove
    case .nobody: .heardByNobody
    }
  }
}
