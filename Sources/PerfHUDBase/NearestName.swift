/// The name that a user who made a typo may have meant.
package enum NearestName {
  /// - Returns: the name with the least edit distance, if it is at most a third of the text's length, or at most 1 for
  ///   short texts.
  package static func of(_ text: String, among names: [String]) -> String? {
    let limit = max(1, text.count / 3)
    let ranked = names.map { ($0, distance(Array(text.utf8), Array($0.utf8))) }
    return ranked.filter { $0.1 <= limit }.min { $0.1 < $1.1 }?.0
  }

  /// Levenshtein's edit distance.
  private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var row = Array(0...b.count)
    for (i, x) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, y) in b.enumerated() {
        let next = min(row[j + 1] + 1, row[j] + 1, diagonal + (x == y ? 0 : 1))
        diagonal = row[j + 1]
        row[j + 1] = next
      }
    }
    return row[b.count]
  }
}
