import Glibc

@testable import PerfHUD

/// The request of a command line, as the shell splits it at spaces.
func request(
  _ line: String, isTerminal: Bool = true, environment: [String: String] = [:]
) throws -> Request {
  let arguments = try CommandLineArguments.parse(line.split(separator: " ").map(String.init))
  return try Request(arguments, environment: Environment(environment), isTerminal: isTerminal)
}

/// The one line that tells the user what is wrong; `nil` if nothing is.
func mistake(_ line: String, environment: [String: String] = [:]) -> String? {
  do {
    _ = try request(line, environment: environment)
    return nil
  } catch let error as UsageError {
    return error.description
  } catch {
    return CommandLineArguments.message(for: error).split(separator: "\n").first.map(String.init)
  }
}

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
