/// The words for facts about one process.
package enum DetailWord: CaseIterable, Sendable {
  case title
  case user
  case parent
  case started
  case nice
  case openFiles
  /// Between a number and its limit.
  case of
  case cores
  case directory
  case program
  case cgroup
  /// The file of the program is not the one that runs any more.
  case replaced

  package func text(_ language: Language) -> StaticString {
    language == .english ? texts.english : texts.japanese
  }

  private var texts: (english: StaticString, japanese: StaticString) {
    switch self {
    case .title: ("process", "プロセス")
    case .user: ("user", "ユーザー")
    case .parent: ("parent", "親")
    case .started: ("started", "開始")
    case .nice: ("nice", "nice")
    case .openFiles: ("open files", "ファイル数")
    case .of: ("of", "/")
    case .cores: ("cores", "コア")
    case .directory: ("directory", "作業場所")
    case .program: ("program", "実行ファイル")
    case .cgroup: ("cgroup", "cgroup")
    case .replaced: ("deleted or replaced since", "開始後に削除か置換")
    }
  }
}
