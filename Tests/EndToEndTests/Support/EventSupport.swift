import TestSupport

/// The figures of the summary's line `events`: received, lost, not understood.
func eventCounts(_ output: String) -> (received: Int, lost: Int, bad: Int) {
  var found = (received: 0, lost: 0, bad: 0)
  for line in output.split(separator: "\n") where line.hasPrefix("  events ") {
    for part in line.dropFirst(9).split(separator: ",") {
      let words = part.split(separator: " ")
      let number = words.first.flatMap { Int($0) } ?? -1
      if words.contains("lost") {
        found.lost = number
      } else if words.contains("understood") {
        found.bad = number
      } else {
        found.received = number
      }
    }
  }
  return found
}

/// Variables that give a program directories of its own, so that it meets no other perfhud.
func isolatedEnvironment(_ directory: TemporaryDirectory) -> [String: String?] {
  ["XDG_RUNTIME_DIR": directory.path, "TMPDIR": nil, "PERFHUD_SOCKET": nil]
}

/// The path of a client in the repository.
func clientPath(_ name: String) -> String {
  Repository.path("clients/\(name)")
}

/// A program of the C client.
func compileClient(_ main: String, in directory: TemporaryDirectory) throws -> String {
  let source = directory.file("program.c")
  let text =
    "#define _GNU_SOURCE\n#define PERFHUD_IMPLEMENTATION\n#include \"\(clientPath("perfhud.h"))\"\n"
    + main + "\n"
  try TestFile.write(Array(text.utf8), to: source)
  let binary = directory.file("program")
  let output = try Tool.run(
    ["gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-o", binary, source], timeout: 60)
  guard output.status == .exit(0) else { throw ToolError("gcc: \(output.stderr)") }
  return binary
}
