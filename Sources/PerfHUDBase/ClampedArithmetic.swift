extension FixedWidthInteger {
  /// Adds a number. If the sum does not fit, it becomes the greatest or the least number of the type.
  ///
  /// For numbers from outside, which can be anything.
  @inlinable package mutating func addClamped(_ other: Self) {
    let (sum, isOver) = addingReportingOverflow(other)
    self = !isOver ? sum : other > 0 ? .max : .min
  }
}
