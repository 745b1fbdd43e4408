import Glibc
import Testing

/// Compares a text with the golden file, and records an issue with the differing lines.
///
/// With `PERFHUD_UPDATE_GOLDEN=1` in the environment the file is written instead; look at the
/// change before you commit it.
/// - Parameter file: the path of the golden file, relative to the folder of the test target.
public func expectGolden(
  _ text: String, file: String, testFile: String = #filePath,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let path = Repository.testPath(file, testFile: testFile)
  let text = text.hasSuffix("\n") ? text : text + "\n"
  if unsafe getenv("PERFHUD_UPDATE_GOLDEN").map({ unsafe String(cString: $0) }) == "1" {
    if let problem = writeText(text, to: path) {
      Issue.record("\(problem)", sourceLocation: sourceLocation)
    }
    return
  }
  guard let golden = readText(path) else {
    Issue.record(
      "no golden file \(file); write it with: PERFHUD_UPDATE_GOLDEN=1 swift test",
      sourceLocation: sourceLocation)
    return
  }
  guard golden != text else { return }
  Issue.record(
    """
    \(file) differs (- golden, + now; accept with: PERFHUD_UPDATE_GOLDEN=1 swift test)
    \(difference(from: golden, to: text))
    """, sourceLocation: sourceLocation)
}

/// The two texts line by line: `-` only in the first, `+` only in the second, with three lines of
/// what is around them and `…` for what was left out.
public func difference(from old: String, to new: String) -> String {
  let oldLines = splitLines(old)
  let newLines = splitLines(new)
  var removed: Set<Int> = []
  var inserted: Set<Int> = []
  for change in newLines.difference(from: oldLines) {
    switch change {
    case .remove(let offset, _, _): removed.insert(offset)
    case .insert(let offset, _, _): inserted.insert(offset)
    }
  }
  var lines: [(mark: String, text: String)] = []
  var oldIndex = 0
  var newIndex = 0
  while oldIndex < oldLines.count || newIndex < newLines.count {
    if removed.contains(oldIndex) {
      lines.append(("-", oldLines[oldIndex]))
      oldIndex += 1
    } else if inserted.contains(newIndex) {
      lines.append(("+", newLines[newIndex]))
      newIndex += 1
    } else {
      lines.append((" ", oldLines[oldIndex]))
      oldIndex += 1
      newIndex += 1
    }
  }
  var result: [String] = []
  var skipped = false
  for index in lines.indices {
    let around = max(0, index - 3)...min(lines.count - 1, index + 3)
    if around.contains(where: { lines[$0].mark != " " }) {
      if skipped { result.append("…") }
      result.append(lines[index].mark + lines[index].text)
      skipped = false
    } else {
      skipped = true
    }
  }
  return result.joined(separator: "\n")
}

private func readText(_ path: String) -> String? {
  guard let file = unsafe fopen(path, "r") else { return nil }
  defer { unsafe fclose(file) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 65536)
  while true {
    let count = unsafe fread(&chunk, 1, chunk.count, file)
    if count == 0 { return String(decoding: bytes, as: UTF8.self) }
    bytes += chunk[..<count]
  }
}

/// Writes the file and makes its folder; returns what went wrong.
private func writeText(_ text: String, to path: String) -> String? {
  let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  _ = unsafe mkdir(folder, 0o777)
  guard let file = unsafe fopen(path, "w") else { return "cannot write \(path)" }
  let bytes = Array(text.utf8)
  let written = unsafe fwrite(bytes, 1, bytes.count, file)
  return unsafe fclose(file) == 0 && written == bytes.count ? nil : "cannot write \(path)"
}
