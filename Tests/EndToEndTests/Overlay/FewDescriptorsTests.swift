import TestSupport
import Testing

/// Too few files can be opened: the command runs to its end, or is not started at all.
@Suite struct FewDescriptorsTests {
  private static let limits = [5, 7, 9, 12, 16, 20, 30, 44, 60, 100]

  private func expectWholeOrNothing(_ output: String, limit: Int) {
    if output.contains("status 6") {
      #expect(output.contains("here"), "\(limit): \(output)")
    } else {
      #expect(output.contains("status 125") && !output.contains("here"), "\(limit): \(output)")
      #expect(output.contains("perfhud: "), "\(limit): \(output)")
    }
    #expect(limit < 100 || output.contains("status 6"), "\(output)")
  }

  private func script(_ options: String, limit: Int) -> String {
    // "here" is in the command's output, and not in the command line that a message may name.
    "exec 2>&1; ulimit -n \(limit); \"$perfhud\" \(options) -- sh -c 'echo he\"\"re; exit 6'; echo status $?"
  }

  @Test(arguments: limits) func `under the HUD`(limit: Int) throws {
    let pty = try Overlay.script(script("--no-summary", limit: limit))
    _ = try pty.wait(deadline: Perfhud.deadline)
    expectWholeOrNothing(pty.text, limit: limit)
  }

  @Test(arguments: limits) func `without a HUD`(limit: Int) throws {
    let output = try Perfhud.shell(script("--batch --no-summary", limit: limit))
    expectWholeOrNothing(output.stdout, limit: limit)
  }
}
