import Base
import Glibc
import TestSupport
import Testing

/// `--remember-place`: the HUD lies where keys have last put it over a program of that name.
@Suite struct RememberPlaceTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private var places: String { directory.file("state/perfhud/places") }

  private var text: String {
    String(decoding: (try? readFile(places, limit: 1 << 16)) ?? [], as: UTF8.self)
  }

  /// A shell in which `"$perfhud" --remember-place -- …` stands before commands; it shows the status.
  private func run(_ command: String, state: String? = nil) throws -> Tmux {
    let tmux = try Tmux(
      columns: 80, rows: 24,
      command: [
        "sh", "-c",
        "\"$perfhud\" --no-summary --no-step-aside --remember-place -- \(command); "
          + "echo status $?; exec sleep 1000",
      ],
      environment: try Overlay.environment([
        "XDG_STATE_HOME": state ?? directory.file("state"), "D": directory.path,
      ]))
    try tmux.waitFor("CPU", deadline: Perfhud.deadline)
    return tmux
  }

  private func end(_ tmux: Tmux) throws {
    try tmux.sendKeys("C-d")
    try tmux.waitFor("status 0", deadline: Perfhud.deadline)
  }

  private func isTopLeft(_ rows: [String]) -> Bool { rows.first?.hasPrefix("┌") == true }

  private func moveToTopLeft(_ tmux: Tmux) throws {
    try tmux.sendKeys("C-^")
    try tmux.waitFor("Esc", deadline: Perfhud.deadline)
    try tmux.sendKeys("1", "Escape")
    try tmux.waitFor(deadline: Perfhud.deadline) { isTopLeft($0) && !$0.shows("Esc") }
  }

  @Test func `the file is written at the end, and read at the next start`() throws {
    let first = try run("cat")
    #expect(!isTopLeft(try first.capture()))
    try moveToTopLeft(first)
    #expect(text.isEmpty)
    try end(first)
    #expect(text == "top-left medium cat\n")
    let second = try run("/bin/cat")
    try second.waitFor(deadline: Perfhud.deadline) { isTopLeft($0) }
    try end(second)
    #expect(text == "top-left medium cat\n", "a HUD that was not moved leaves the file as it is")
    let other = try run("sh -c cat")
    #expect(!isTopLeft(try other.capture()))
  }

  @Test func `a broken file is read as far as it goes, and written anew`() throws {
    let broken =
      Array("top-left small\n\u{1B}[31m\n".utf8) + [0xFF, 0, 0xFE, 0x0A]
      + Array("top-left huge cat\nbottom-left small less\nno end".utf8)
    _ = try Tool.run(["mkdir", "-p", directory.file("state/perfhud")])
    try TestFile.write(broken, to: places)
    let tmux = try run("cat")
    #expect(!isTopLeft(try tmux.capture()))
    try moveToTopLeft(tmux)
    try end(tmux)
    #expect(text == "top-left medium cat\nbottom-left small less\n")
  }

  @Test func `a folder that cannot be made is one line, and the status is the command's`()
    throws
  {
    let tmux = try run("cat", state: "/dev/null")
    try moveToTopLeft(tmux)
    try end(tmux)
    let rows = try tmux.capture()
    let lines = rows.filter { $0.contains("perfhud") }
    #expect(lines.count == 1, "\(rows)")
    #expect(lines.first?.contains("/dev/null/perfhud/places") == true, "\(rows)")
  }

  @Test func `a program whose name has odd bytes is found again by it`() throws {
    let name = "$D/$(printf 'a b\\377\\n\\033[31mx')"
    for _ in 0..<2 {
      _ = try Tool.run(
        ["sh", "-c", "cp /bin/cat \"\(name)\""], environment: ["D": directory.path])
    }
    let first = try run("\"\(name)\"")
    try moveToTopLeft(first)
    try end(first)
    #expect(text.hasPrefix("top-left medium a b"), "\(text.debugDescription)")
    #expect(text.filter(\.isNewline).count == 1)
    #expect(!text.utf8.contains(0x1B))
    let second = try run("\"\(name)\"")
    try second.waitFor(deadline: Perfhud.deadline) { isTopLeft($0) }
  }
}
