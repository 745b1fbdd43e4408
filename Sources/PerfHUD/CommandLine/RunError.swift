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
}
