/// Returns the first index below `count` for which a condition does not hold; `count` if it holds for all. It must hold
/// for no index after that. A binary search. Complexity: logarithmic.
@inlinable package func partitionPoint(_ count: Int, where holds: (Int) -> Bool) -> Int {
  var (low, high) = (0, count)
  while low < high {
    let middle = (low + high) / 2
    if holds(middle) { low = middle + 1 } else { high = middle }
  }
  return low
}
