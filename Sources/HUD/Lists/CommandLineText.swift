import PerfHUDBase
import Terminal

// Command lines in little room: what tells one program from another are the names of files and the options, not the
// directories, so those go first.

extension ListRow {
  /// The characters of a command line that are looked at. What is behind them never fits a row.
  static let greatestCommand = 1024
  /// The directories of a path that remain at first when paths are shortened.
  private static let mostDirectories = 7

  /// Appends a character of a command line. A run of white space and control characters becomes one blank: fonts lack
  /// the symbols for control characters, and a script in an argument has many line breaks.
  mutating func append(ofCommand scalar: Unicode.Scalar, _ role: Role) {
    guard ListRow.isBlank(scalar) else { return append(scalar, role) }
    guard count > commandStart ?? 0, self[count - 1].scalar != " " else { return }
    append(" ", role)
  }

  /// Appends a command line, up to a length.
  mutating func append(command: String, hasProgram: Bool, _ role: Role) {
    beginCommand(hasProgram: hasProgram)
    var rest = ListRow.greatestCommand
    for scalar in command.unicodeScalars {
      guard rest > 0 else { return append("…", role) }
      append(ofCommand: scalar, role)
      rest -= 1
    }
  }

  /// Whether a character is white space, a control character or the symbol of one, as `SafeText` puts it.
  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x20, 0x7F...0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F,
      0x2400...0x2421, 0x3000:
      true
    default: false
    }
  }

  // MARK: The program

  /// The characters of the program in the command line, with quotes around it, and its name without directories.
  private var program: (whole: Range<Int>, name: Range<Int>)? {
    guard let start = commandStart, start < count, commandHasProgram else { return nil }
    let isQuoted = self[start].scalar == "'"
    let first = isQuoted ? start + 1 : start
    var end = first
    while end < count, self[end].scalar != (isQuoted ? "'" : " ") { end += 1 }
    var name = first
    // Only a path has a directory: `postgres: a/b` has none.
    if first < end, ListRow.beginsPath(self[first].scalar) {
      for index in first..<end where self[index].scalar == "/" && index + 1 < end {
        name = index + 1
      }
    }
    return (start..<(isQuoted && end < count ? end + 1 : end), name..<end)
  }

  private static func beginsPath(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "/" || scalar == "." || scalar == "~"
  }

  /// Removes the directories of the program; the whole program if its name is known and arguments follow.
  ///
  /// - Parameter known: the name that is shown before the command line, as the kernel has it.
  mutating func removeProgram(named known: String) {
    guard let program else { return }
    let next = program.whole.upperBound + 1
    guard next < count else { return }
    if isName(known, in: program.name) {
      remove(program.whole.lowerBound..<next)
      commandHasProgram = false
    } else {
      removeDirectories(of: program)
    }
  }

  /// Whether the command line is a program without arguments, by the name that is shown before it.
  func isOnlyProgram(named known: String) -> Bool {
    guard let program, program.whole.upperBound + 1 >= count else { return false }
    return isName(known, in: program.name)
  }

  private mutating func removeDirectories(of program: (whole: Range<Int>, name: Range<Int>)) {
    let isQuoted = self[program.whole.lowerBound].scalar == "'"
    remove(program.whole.lowerBound + (isQuoted ? 1 : 0)..<program.name.lowerBound)
  }

  /// Whether these characters are a name that the kernel may have cut after 15 bytes.
  private func isName(_ name: String, in range: Range<Int>) -> Bool {
    var index = range.lowerBound
    for scalar in name.unicodeScalars {
      guard index < range.upperBound, self[index].scalar == scalar else { return false }
      index += 1
    }
    return index > range.lowerBound && (index == range.upperBound || name.utf8.count >= 15)
  }

  // MARK: Paths

  /// Shortens the command line if the row is longer than a limit: first the directories of the program go, then those
  /// of the arguments, from the front: `…/path/script.py`, in ASCII `.../path/script.py`.
  mutating func shortenCommand(within limit: Int, isASCII: Bool) {
    guard columns > limit, commandStart != nil else { return }
    if let program { removeDirectories(of: program) }
    var kept = ListRow.mostDirectories
    while columns > limit, kept >= 0 {
      shortenPaths(to: kept, isASCII: isASCII)
      kept -= 1
    }
  }

  /// Leaves each path in the command line at most a number of its directories.
  private mutating func shortenPaths(to kept: Int, isASCII: Bool) {
    guard var index = commandStart else { return }
    // A tilde, which stands for an ellipsis elsewhere, would be the home directory.
    let dots = isASCII ? 3 : 1
    var isStart = true
    while index < count {
      if isStart, let slash = slash(ofPathAt: index, before: kept), slash > index + dots {
        replace(index..<slash, with: isASCII ? "." : "…", count: dots)
      }
      isStart = ListRow.isSeparator(self[index].scalar)
      index += 1
    }
  }

  /// The slash before the directories of a path that are kept, the last ones; `nil` if the path has no more
  /// than these, or if there is no path.
  private func slash(ofPathAt start: Int, before kept: Int) -> Int? {
    guard start + 1 < count else { return nil }
    let first = self[start].scalar
    let second = self[start + 1].scalar
    let isPath =
      switch first {
      // The address of a network resource begins with two slashes.
      case "/": second != "/"
      case ".", "~", "…": second == "/" || second == "."
      default: false
      }
    guard isPath else { return nil }
    var end = start
    while end < count, !ListRow.isSeparator(self[end].scalar) { end += 1 }
    // A slash at the end belongs to the last name.
    var index = end - 2
    var rest = kept
    while index > start {
      if self[index].scalar == "/" {
        if rest == 0 { return index }
        rest -= 1
      }
      index -= 1
    }
    return nil
  }

  /// Whether a path may begin after a character, and ends before it.
  private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case " ", "=", ":", ",", "'", "\"": true
    default: false
    }
  }
}
