import PerfHUDBase

/// An error that ends perfhud with status 1: one line that says what happened and what to do.
struct RunError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
  init(_ error: SystemError) { description = error.description }
}

/// A mistake of the user: one line, exit status 64.
struct UsageError: Error, Equatable, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }

  /// Refuses `-` for a file that perfhud writes, since it would create a file of that name.
  static func refuseStream(_ path: String?, option: String) throws(UsageError) {
    guard path == "-" else { return }
    throw UsageError(
      "\(option) needs the name of a file; for standard output: \(option) /dev/stdout")
  }
}
