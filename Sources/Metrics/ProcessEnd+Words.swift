import Sampler

extension ProcessEnd {
  /// How a process has ended, for instance `exit 1`, `SIGKILL`, or that it has and nothing more is known;
  /// `nil` if it lives.
  public func text(_ language: Language) -> String? {
    switch self {
    case .none: nil
    case .unknown: "\(Word.ended.text(language))"
    case .exited(let status): "\(Word.summaryExit.text(language)) \(status)"
    case .signaled(let number): SignalName.text(Int32(number))
    }
  }
}

extension ProcessOrder {
  public var word: Word {
    switch self {
    case .cpu: .cpu
    case .memory: .memory
    case .growth: .growth
    }
  }

  /// The order that the key goes to from this one.
  public var next: ProcessOrder {
    let all = ProcessOrder.allCases
    return all[(Int(rawValue) + 1) % all.count]
  }
}
