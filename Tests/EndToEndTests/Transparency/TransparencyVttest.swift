/// The menus of vttest, which goes through what a VT100 to VT420 and an xterm can do.
///
/// Nobody judges whether the terminal does it well: it has to do the same bare and below the HUD.
extension TransparencyCase {
  /// What goes to 132 columns and back: in xterm the window becomes wider with it, which is compared in
  /// its first 80 columns.
  static let vttestWide: [TransparencyCase] = [
    vttest("cursor movements", "1 . . . . . . . ."),
    vttest("insert and delete", "8 . . . . . . . . . . . . . ."),
    vttest("screen features", "2 . . . . . . . . . . . . . . ."),
    vttest("known bugs", "9 1 . . 2 . 3 . . 4 . . 8 . 9 . ."),
    vttest("insert and delete in colors", "11 6 6 . . . . . . . . . . . . . ."),
    vttest("screen features in colors", "11 6 8 . . . . . . . . . . . . . . ."),
  ]

  /// What stays in 80 columns.
  static let vttest: [TransparencyCase] = [
    vttest("other cursor movements", "11 5 1 . 2 . 3 . 4 . 5 . 6 . 7 . 8 . 9 ."),
    vttest("alternate screen", "11 8 7 1 2 3 . . . 4 . . . 5 . . ."),
    // After a reset it sleeps for five seconds.
    vttest("reset", "10 1 . . 3 . .", sleeps: [3, 6]),
    vttest("colors", "11 6 2 . . . 3 . . 4 . . . 5 . . . 9 . . ."),
    vttest("repetition, scrolling", "11 7 2 . . 3 . . 4 . . 5 . . 6 . ."),
    vttest("erased characters", "11 1 2 3 . . 4 . . . . . ."),
  ]

  /// Where the HUD stays away at times: lines of double size, sets that cannot be set again.
  static let vttestBeneath: [TransparencyCase] = [
    vttest("double size", "4 . . . . . ."),
    vttest("character sets", "3 8 . . 9 . . 10 . . . . 11 . . ."),
    vttest("bugs with double size", "9 5 . . 6 . . 7 . ."),
  ]

  /// What only xterm has.
  static let xtermVttest: [TransparencyCase] = [
    vttest("controls of eight bits", "11 1 3 . . . ."),
    vttest("soft reset", "11 1 6 . . . . . ."),
    vttest("VT320 cursor movements", "11 2 2 1 . . 2 . ."),
    vttest("VT420 cursor movements", "11 3 2 1 . . 2 . . 3 . . 4 . . 5 . . 6 . ."),
    vttest("VT420 editing", "11 3 3 1 . . 2 . . 3 . . 4 . ."),
    vttest("VT420 rectangles", "11 3 6 1 . . 2 . . 3 . . 4 . . 5 . . 6 . . 7 . ."),
    vttest("VT520 cursor movements", "11 4 2 1 . . 2 . . 3 . . 4 . . 5 . ."),
  ]

  /// - Parameters:
  ///   - keys: what is typed before Return, `.` for nothing; each is a step.
  ///   - sleeps: the steps, from 1, after which it sleeps before it goes on.
  private static func vttest(
    _ name: String, _ keys: String, sleeps: Set<Int> = []
  ) -> TransparencyCase {
    // It waits for answers at its start, and between some of its pictures. Before the first of them
    // the screen is known.
    TransparencyCase(
      name: "vttest: " + name, command: ["sh", "-c", "clear; exec vttest"],
      startCondition: .quiet(0.6),
      steps: keys.split(separator: " ").enumerated().map { index, key in
        TransparencyStep(
          "\(index + 1): \(key)", type: (key == "." ? "" : key) + "\r",
          until: .quiet(sleeps.contains(index + 1) ? 6 : 0.3))
      })
  }
}
