import PerfHUDBase
import Sampler

extension ProcessEnd {
  /// Whether it is known to have failed: with a status other than 0, or by a signal.
  package var isFailure: Bool {
    switch self {
    case .none, .unknown: false
    case .exited(let status): status != 0
    case .signaled: true
    }
  }

  /// How a process has ended: for instance `exit 1`, `SIGKILL`, or just that it has ended; empty while it lives.
  /// Allocates nothing.
  package func shortText(_ language: Language) -> ShortText {
    var text = ShortText()
    switch self {
    case .none: break
    case .unknown: text.append(Word.ended.text(language))
    case .exited(let status):
      text.append(Word.summaryExit.text(language))
      text.append(" ")
      text.append(decimal: Int(status))
    case .signaled(let number): SignalName.append(Int32(number), to: &text)
    }
    return text
  }
}

extension ProcessOrder {
  package var word: Word {
    switch self {
    case .cpu: .cpu
    case .memory: .memory
    case .growth: .growth
    }
  }

  /// The next order, which the key switches to.
  package var next: ProcessOrder {
    let all = ProcessOrder.allCases
    return all[(Int(rawValue) + 1) % all.count]
  }
}
