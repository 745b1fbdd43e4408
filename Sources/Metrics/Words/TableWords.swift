import PerfHUDBase

/// The headings of the tables of actions, reported values, frame times and threads.
package enum TableWord: CaseIterable, Sendable {
  // Actions.
  case action
  case count
  case rate
  /// A number of seconds replaces `#`.
  case lastSeconds
  case lastTime
  case memoryPerRun
  // Values that the program reports.
  case value
  case newest
  // Frame times.
  case wholeRun
  case meanRate
  case pointOnePercentLow
  case longest
  case frameTime
  case frameShare
  case lastSlowFrame
  case lastFrame
  /// What a mark on the axis of frames stands for: the program drew nothing for some time.
  case pause
  // Phases.
  case phase
  case visits
  case timeInPhase
  case verdict
  case source
  // Threads.
  case threadWait
  // Alerts.
  case state
  case rule
  case valueNow
  case firstTime

  package func text(_ language: Language) -> StaticString {
    language == .english ? texts.english : texts.japanese
  }

  /// The text with a number in place of its `#`.
  package func text(_ language: Language, _ number: Int) -> ShortText {
    let text = self.text(language)
    var result = ShortText()
    for index in 0..<text.utf8CodeUnitCount {
      let byte = unsafe text.utf8Start[index]
      if byte == UInt8(ascii: "#") { result.append(decimal: number) } else { result.append(byte) }
    }
    return result
  }

  private var texts: (english: StaticString, japanese: StaticString) {
    switch self {
    case .action: ("action", "アクション")
    case .count: ("count", "回数")
    case .rate: ("rate", "頻度")
    case .lastSeconds: ("last #s", "直近#秒")
    case .lastTime: ("last time", "最後")
    case .memoryPerRun: ("MEM/run", "MEM/回")
    case .value: ("value", "値")
    case .newest: ("latest", "最新")
    case .wholeRun: ("whole run", "全体")
    case .meanRate: ("mean FPS", "平均FPS")
    case .pointOnePercentLow: ("0.1% low", "下位0.1%")
    case .longest: ("longest", "最長")
    case .frameTime: ("frame time", "フレーム時間")
    case .frameShare: ("share of frames", "フレームの割合")
    case .pause: ("pause", "休止")
    case .lastFrame: ("last frame", "最後のフレーム")
    case .lastSlowFrame: ("last slow frame", "最後の遅延フレーム")
    case .phase: ("phase", "フェーズ")
    case .visits: ("visits", "回数")
    case .timeInPhase: ("time", "時間")
    case .verdict: ("verdict", "判定")
    case .source: ("source", "情報源")
    case .threadWait: ("WAIT", "待ち")
    case .state: ("state", "状態")
    case .rule: ("rule", "規則")
    case .valueNow: ("now", "現在")
    case .firstTime: ("first time", "最初")
    }
  }
}
