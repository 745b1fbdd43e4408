import PerfHUDBase

/// What the overview of a full-screen view shows below the gauges, from top to bottom.
///
/// The standard layout depends on the size (`Layout.placeStandard`). Any other layout is shown as chosen, one part
/// below the other, and as rows shrink, the last parts go first.
package struct OverviewLayout: Equatable, Sendable {
  package let parts: [WidgetID]

  package static let standard = OverviewLayout(
    parts: [.cpuGraph, .memoryGraph, .memoryParts, .threads, .bottlenecks])
  /// All parts.
  package static let choices: [WidgetID] = [
    .cpuGraph, .memoryGraph, .memoryParts, .threads, .bottlenecks, .details, .processes, .phases,
    .actions, .frames, .log, .alerts,
  ]

  /// The layouts that the settings editor steps through.
  static let examples = [
    standard, OverviewLayout(parts: [.details, .memoryGraph, .cpuGraph]),
    OverviewLayout(parts: [.memoryGraph, .bottlenecks]),
    OverviewLayout(parts: [.memoryGraph, .cpuGraph, .processes]),
    OverviewLayout(parts: [.memoryGraph, .phases, .actions]),
    OverviewLayout(parts: [.processes, .bottlenecks]),
  ]

  /// - Parameter parts: no two of them may exclude each other (`excludes`).
  init(parts: [WidgetID]) { self.parts = parts }

  /// Whether two parts cannot be shown at once: only one list is sampled at a time.
  static func excludes(_ a: WidgetID, _ b: WidgetID) -> Bool {
    (a == .processes && b == .threads) || (a == .threads && b == .processes)
  }

  /// - Parameter text: names of parts as in the gallery, separated by commas.
  package init(_ text: String) throws(SettingError) {
    var parts: [WidgetID] = []
    for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = String(piece.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
      guard let part = OverviewLayout.choices.first(where: { OverviewLayout.name(of: $0) == name })
      else { throw OverviewLayout.unknown(name) }
      guard !parts.contains(part) else {
        throw SettingError("layout: \(name) is there twice")
      }
      parts.append(part)
    }
    if parts.contains(where: { part in parts.contains { OverviewLayout.excludes(part, $0) } }) {
      throw SettingError(
        "layout: processes and threads cannot be shown at once; choose one of them")
    }
    self.parts = parts
  }

  /// The names separated by commas, as in the configuration file.
  package var text: String { parts.map(OverviewLayout.name).joined(separator: ", ") }

  /// The name of a part, as in the gallery.
  package static func name(of part: WidgetID) -> String { "\(Widget.of(part).name)" }

  private static func unknown(_ name: String) -> SettingError {
    let names = choices.map(OverviewLayout.name)
    let shown = SafeText.clean(name, limit: 40)
    let hint =
      NearestName.of(name, among: names).map { "; did you mean \($0)?" }
      ?? "; known: \(names.joined(separator: ", "))"
    return SettingError("layout: unknown part '\(shown)'\(hint)")
  }
}
