import CLinux
import Glibc
import PerfHUDBase

/// A client of a tmux in control mode: a question and its answer go through pipes, where a client of its own
/// for each question would cost more than all that is asked for.
///
/// Source: `tmux(1)`, section CONTROL MODE.
final class TmuxControl {
  private let client: ChildProcess
  private let input: Descriptor
  private let output: Descriptor
  private let errors: Descriptor
  private var unread: [UInt8] = []

  /// - Parameter tmux: what starts a client of the server, without a command of tmux.
  init(_ tmux: [String], environment: [String: String?]) throws(ToolError) {
    let inputPipe = try Pipe()
    let outputPipe = try Pipe()
    errors = Descriptor(owning: unsafe perfhud_memfd_create("tmux"))
    // It must not give the window a size, and is not told what the programs write.
    client = try ChildProcess(
      tmux + ["-C", "attach-session", "-t", "test", "-f", "no-output,ignore-size"],
      environment: environment, directory: nil,
      standard: .descriptors(
        input: inputPipe.readEnd.raw, output: outputPipe.writeEnd.raw, error: errors.raw))
    input = consume inputPipe.writeEnd
    output = outputPipe.readEnd
    setNonBlocking(output.raw)
    // The answer to the command that has attached it.
    _ = try nextBlock()
  }

  /// Runs commands at one moment, and returns what each has printed.
  ///
  /// - Parameter commands: without a line break in an argument.
  func run(_ commands: [[String]]) throws(ToolError) -> [[UInt8]] {
    let line = commands.map { $0.map(TmuxControl.quoted).joined(separator: " ") }
    let bytes = Array((line.joined(separator: " ; ") + "\n").utf8)
    do {
      try unsafe bytes.withUnsafeBytes { try unsafe input.writeAll($0) }
    } catch {
      throw ToolError("cannot write to tmux: \(error)")
    }
    var answers: [[UInt8]] = []
    for _ in commands { answers.append(try nextBlock()) }
    return answers
  }

  private static func quoted(_ argument: String) -> String {
    let parts = argument.split(separator: "'", omittingEmptySubsequences: false)
    return "'" + parts.joined(separator: "'\\''") + "'"
  }

  /// The lines between the next `%begin` and its `%end`; what tmux tells beside answers is passed over.
  private func nextBlock() throws(ToolError) -> [UInt8] {
    let deadline = Instant.now().advanced(bySeconds: 20)
    var poller = Poller()
    _ = poller.add(output.raw)
    while true {
      if let block = takeBlock() {
        if block.isError {
          throw ToolError("tmux: \(String(decoding: block.text, as: UTF8.self))")
        }
        return block.text
      }
      let now = Instant.now()
      guard now < deadline else { throw ToolError("tmux has not answered") }
      poller.wait(until: deadline, now: now)
      if readAll(output.raw, into: &unread) { throw ToolError("tmux has ended") }
    }
  }

  /// Takes a whole block off what has been read, if there is one.
  private func takeBlock() -> (text: [UInt8], isError: Bool)? {
    guard let begin = unread.firstRange(of: "%begin ", from: 0),
      let lineEnd = unread.firstRange(of: "\n", from: begin.upperBound)
    else { return nil }
    // Time, number and flags are the same in the line that ends the block.
    let mark = String(decoding: unread[begin.upperBound..<lineEnd.lowerBound], as: UTF8.self)
    let start = lineEnd.upperBound
    let end = unread.firstRange(of: "\n%end \(mark)\n", from: start - 1)
    guard let found = end ?? unread.firstRange(of: "\n%error \(mark)\n", from: start - 1) else {
      return nil
    }
    let text = Array(unread[start..<found.lowerBound + 1])
    unread.removeFirst(found.upperBound)
    return (text, end == nil)
  }
}
