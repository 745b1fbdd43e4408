/// The words of the settings: their descriptions, those of the settings editor, and those of the configuration file.
package enum SettingWord: CaseIterable, Sendable {
  case hint
  case hintShort
  case prompt
  case promptHint
  case parts
  case partsHint
  case partsHintShort
  case lastPart
  case saved
  case unchanged
  case configTitle
  case configHead
  case nextStart
  case unset
  case groupSampling
  case groupDisplay
  case groupOverlay
  case groupEvents
  case groupAlerts
  case sourceStandard
  case sourceFile
  case sourceEnvironment
  case sourceCommandLine
  case sourceKeys
  case interval
  case tick
  case memory
  case graph
  case layout
  case ascii
  case mouse
  case language
  case theme
  case corner
  case size
  case prefixKey
  case stepAside
  case autoShow
  case hidden
  case tree
  case phaseFrom
  case phasePattern
  case actionHigh
  case summary
  case exitWithTarget
  case events
  case noEvents
  case noOSCEvents
  case restartHUD
  case alert
  case alertBell
  case alertCommand
  case budget
  case budgets

  package func text(_ language: Language) -> StaticString {
    language == .english ? texts.english : texts.japanese
  }

  /// The text with a value in place of its `#`.
  package func text(_ language: Language, value: String) -> String {
    filled(text(language), with: value)
  }

  private var texts: (english: StaticString, japanese: StaticString) {
    switch self {
    case .hint:
      ("<> change  Enter type  S save  , keep  Esc undo", "<>変更 Enter入力 S保存 ,維持 Esc取消")
    case .hintShort: ("<> S save Esc undo", "<> S保存 Esc取消")
    case .prompt: ("new value: ", "新しい値: ")
    case .promptHint: ("Enter accept  Esc cancel  Right append", "Enter 確定  Esc 取消  右 追記")
    case .parts: ("Enter: choose the parts and their order", "Enter：部品と順序を選ぶ")
    case .partsHint:
      ("space on/off  <> move  Enter done  Esc undo", "space表示切替 <>移動 Enter決定 Esc取消")
    case .partsHintShort: ("space <> Enter Esc", "space切替 Enter Esc")
    case .lastPart: ("one part has to stay", "部品は1つ以上必要です")
    case .saved: ("saved to #", "# に保存しました")
    case .unchanged: ("nothing to save", "保存する変更はありません")
    case .configTitle: ("settings, one \"key = value\" a line", "設定（1行に「キー = 値」）")
    case .configHead:
      (
        "Command line and PERFHUD_KEY override it. Manual: man perfhud",
        "コマンドラインとPERFHUD_KEYが優先。man perfhudを参照"
      )
    case .nextStart: ("from the next start, if saved", "保存すれば次回の起動から有効")
    case .unset: ("not set", "未設定")
    case .groupSampling: ("sampling", "計測")
    case .groupDisplay: ("display", "表示")
    case .groupOverlay: ("HUD", "HUD")
    case .groupEvents: ("events", "イベント")
    case .groupAlerts: ("alerts", "警告と上限")
    case .sourceStandard: ("default", "既定値")
    case .sourceFile: ("file", "ファイル")
    case .sourceEnvironment: ("environment", "環境変数")
    case .sourceCommandLine: ("command line", "コマンドライン")
    case .sourceKeys: ("changed here", "ここで変更")
    case .interval: ("time between samples, in steps of 20 ms", "計測間隔（20 ms単位）")
    case .tick: ("rate of perfhud's own tick; 0 is off", "perfhud自身のティック（0でオフ）")
    case .memory: ("the main memory metric", "主に表示するメモリの値")
    case .graph: ("how graphs are drawn", "グラフの描き方")
    case .layout: ("parts of the full-screen overview", "単独画面の概要に並べる部品")
    case .ascii: ("ASCII characters only, in English", "ASCIIだけで描く（英語になる）")
    case .mouse: ("clicks and wheel in the full-screen view", "単独画面でマウスを使う")
    case .language: ("language; not set: of the locale", "言語（未設定ならロケールに従う）")
    case .theme: ("colors", "配色")
    case .corner: ("corner of the HUD over a command", "コマンド上のHUDの隅")
    case .size: ("size of the HUD over a command", "コマンド上のHUDの大きさ")
    case .prefixKey: ("the key before the HUD's own keys", "HUDを操作するプレフィックスキー")
    case .stepAside: ("move out of the cursor's way", "止まったカーソルをよける")
    case .autoShow: ("over a shell, show after", "シェル上で表示するまで")
    case .hidden: ("begin with the HUD hidden", "HUDを隠して始める")
    case .tree: ("count children too; not set: of a command", "子プロセスも数える（未設定ならコマンドのとき）")
    case .phaseFrom: ("where phases come from; not set: automatic", "フェーズの取得元（未設定なら自動）")
    case .phasePattern: ("lines of events that begin a phase", "フェーズを始める行の正規表現")
    case .actionHigh: ("rate above which an action is HIGH", "アクションを HIGH とする頻度")
    case .summary: ("a summary at the end; not set: by the mode", "終了時のまとめ（未設定なら自動）")
    case .exitWithTarget: ("end when the process has ended", "対象の終了と同時に終わる")
    case .events: ("a file that events are appended to", "イベントを追記するファイル")
    case .noEvents: ("receive no events of programs", "プログラムのイベントを受け取らない")
    case .noOSCEvents: ("drop events in the output (OSC 7337)", "出力中のイベント (OSC 7337) を捨てる")
    case .restartHUD: ("start the HUD again after it died", "HUD が異常終了したら再開する")
    case .alert: ("rules that raise an alert", "警告を出す規則")
    case .alertBell: ("ring the bell at an alert", "警告でベルを鳴らす")
    case .alertCommand: ("run this at an alert", "警告で実行するコマンド")
    case .budget: ("limits that a run has to keep", "実行が守るべき上限")
    case .budgets: ("a file with such limits, one per line", "上限を書いたファイル")
    }
  }
}
