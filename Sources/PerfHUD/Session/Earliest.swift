import PerfHUDBase

/// The earlier of two times; `nil` means never.
func earliest(_ a: Instant?, _ b: Instant?) -> Instant? {
  guard let a, let b else { return a ?? b }
  return min(a, b)
}
