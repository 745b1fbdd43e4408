import SVG
import SystemPackage
import Terminal

/// A picture of the documents.
struct Scene: Sendable {
  /// The name of its file, without its end.
  let name: String
  /// What the bar of its window says.
  let title: String
  /// What it shows, for those who do not see it.
  let description: String
  var colors = TerminalColors.dark
  /// - Parameter recordings: the folder of the programs' output.
  let draw: @Sendable (FilePath) throws -> ScreenPicture

  static let all = overlays + panes
}
