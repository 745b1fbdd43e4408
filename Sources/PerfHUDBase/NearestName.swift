/// The name that a user who made a typo may have meant.
package enum NearestName {
  /// - Returns: the name with the least edit distance, if it is at most a third of the text's length, or at most 1 for
  ///   short texts.
  package static func of(_ text: String, among names: [String]) -> String? {
    let limit = max(1, text.count / 3)
    let ranked = names.map { ($0, distance(Array(text.utf8), Array($0.utf8))) }
    return ranked.filter { $0.1 <= limit }.min { $0.1 < $1.1 }?.0
  }

  /// The edit distance in which two neighboring bytes in the wrong order are one mistake: optimal string alignment.
  private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var older: [Int] = []
    var old = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var least = min(old[j + 1] + 1, row[j] + 1, old[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, older[j - 1] + 1) }
        row.append(least)
      }
      (older, old) = (old, row)
    }
    return old[b.count]
  }
}
