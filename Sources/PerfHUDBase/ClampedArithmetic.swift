extension FixedWidthInteger {
  /// Adds a number. A sum that does not fit becomes the greatest number, or the least one.
  ///
  /// For numbers from outside, which may be anything.
  @inlinable package mutating func addClamped(_ other: Self) {
    let (sum, isOver) = addingReportingOverflow(other)
    self = !isOver ? sum : other > 0 ? .max : .min
  }
}
