extension FixedWidthInteger {
  /// Adds a number. If the sum overflows, the result is the greatest or least value of the type.
  ///
  /// For untrusted numbers from outside.
  @inlinable package mutating func addClamped(_ other: Self) {
    let (sum, isOver) = addingReportingOverflow(other)
    self = !isOver ? sum : other > 0 ? .max : .min
  }
}
