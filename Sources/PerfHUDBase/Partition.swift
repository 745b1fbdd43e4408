/// The number of the first indexes below `count` for which a condition holds, where it holds for none after the first for
/// which it does not: a binary search. Complexity: logarithmic.
@inlinable package func partitionPoint(_ count: Int, where holds: (Int) -> Bool) -> Int {
  var (low, high) = (0, count)
  while low < high {
    let middle = (low + high) / 2
    if holds(middle) { low = middle + 1 } else { high = middle }
  }
  return low
}
