import PerfHUDBase
import Sampler

extension ProcessEnd {
  /// How a process has ended, for instance `exit 1`, `SIGKILL`, or that it has and nothing more is known;
  /// empty if it lives. It allocates nothing.
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

  /// The order that the key goes to from this one.
  package var next: ProcessOrder {
    let all = ProcessOrder.allCases
    return all[(Int(rawValue) + 1) % all.count]
  }
}
