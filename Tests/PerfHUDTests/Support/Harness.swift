import Glibc

@testable import PerfHUD

/// The request of a command line, as the shell splits it at spaces.
func request(
  _ line: String, isTerminal: Bool = true, isForeground: Bool = true, hasKeys: Bool = true,
  environment: [String: String] = [:]
) throws -> Request {
  let words = ArgumentList(line.split(separator: " ").map { Array($0.utf8) })
  let context = LaunchContext(
    environment: Environment(environment), isTerminal: isTerminal, isForeground: isForeground,
    hasKeys: hasKeys)
  let arguments = try CommandLineArguments.parse(words.own)
  return try Request(arguments, words, context: context.applying(arguments))
}

// A process by its pid, as most tests name it.
extension LaunchMode {
  static func attach(pid: Int32) -> LaunchMode { .attach(.pid(pid)) }

  static func batch(pid: Int32, _ options: BatchOptions) -> LaunchMode {
    .batch(.pid(pid), options)
  }
}

extension LaunchMode.Overlay {
  init(command: [[UInt8]], isShell: Bool = false, pid: Int32?, isGhost: Bool = false) {
    self.init(
      command: command, isShell: isShell, selection: pid.map { .pid($0) }, isGhost: isGhost)
  }
}

extension LaunchMode.Direct {
  init(command: [[UInt8]], pid: Int32?, reason: LaunchMode.DirectReason) {
    self.init(command: command, selection: pid.map { .pid($0) }, reason: reason)
  }
}

/// The one line on what is wrong; `nil` if nothing is.
func mistake(
  _ line: String, isTerminal: Bool = true, isForeground: Bool = true, hasKeys: Bool = true,
  environment: [String: String] = [:]
) -> String? {
  do {
    _ = try request(
      line, isTerminal: isTerminal, isForeground: isForeground, hasKeys: hasKeys,
      environment: environment)
    return nil
  } catch let error as UsageError {
    return error.description
  } catch {
    return CommandLineArguments.message(for: error).split(separator: "\n").first.map(String.init)
  }
}

/// The words of a command, as they are after `--`.
func words(_ line: String) -> [[UInt8]] { line.split(separator: " ").map { Array($0.utf8) } }

/// Calls the body with the path of a file that holds the text and goes away after it.
func withFile(_ text: String, _ body: (String) throws -> Void) throws {
  var path = Array("/tmp/perfhud-test-XXXXXX".utf8CString)
  let descriptor = unsafe mkstemp(&path)
  guard descriptor >= 0 else { throw UsageError("cannot make a file") }
  let bytes = Array(text.utf8)
  let count = unsafe write(descriptor, bytes, bytes.count)
  close(descriptor)
  let name = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  defer { unsafe unlink(name) }
  guard count == bytes.count else { throw UsageError("cannot write the file") }
  try body(name)
}
