import Metrics
import PerfHUDBase

/// A file of budgets: one on each line; `#` begins a comment.
enum BudgetFile {
  /// - Parameter origin: what has named the file.
  static func read(
    _ path: String, namedBy origin: SettingOrigin = .option
  ) throws(UsageError) -> [Budget] {
    let bytes: [UInt8]
    do {
      bytes = try ConfigSource.read(path)
    } catch {
      throw UsageError(origin.describe("\(error)", setting: "budgets"))
    }
    let name = SafeText.clean(path, limit: 200)
    let budgets = try parse(String(decoding: bytes, as: UTF8.self), name: name)
    guard !budgets.isEmpty else {
      throw UsageError("\(name) has no budget; write one a line, such as: rss.peak <= 500MiB")
    }
    return budgets
  }

  /// - Parameter name: the file's name, made harmless.
  static func parse(_ text: String, name: String) throws(UsageError) -> [Budget] {
    var budgets: [Budget] = []
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, line) in lines.enumerated() {
      let rule = withoutComment(line)
      guard rule.contains(where: { $0 != " " && $0 != "\t" }) else { continue }
      guard budgets.count < Budget.capacity else {
        throw UsageError("\(name):\(index + 1): more than \(Budget.capacity) budgets")
      }
      do {
        var budget = try Budget(rule)
        budget.place = Budget.Place(file: name, line: index + 1)
        budgets.append(budget)
      } catch {
        throw UsageError("\(name):\(index + 1): \(error)")
      }
    }
    return budgets
  }

  /// A `#` at the start or after a blank begins a comment, but not inside a name in parentheses.
  private static func withoutComment(_ line: Substring) -> String {
    var kept = ""
    var isName = false
    var isStart = true
    for character in line {
      if character == "#", isStart, !isName { break }
      if character == "(" { isName = true }
      if character == ")" { isName = false }
      isStart = character == " " || character == "\t"
      kept.append(character)
    }
    return kept
  }
}
