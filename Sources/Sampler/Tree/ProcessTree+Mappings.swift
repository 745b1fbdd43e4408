import PerfHUDBase

/// The process whose mappings are listed.
extension ProcessTree {
  /// The member with the greatest footprint; `nil` if that is the process itself. The previous one stays until another
  /// has more than one and a half times as much, so that two of about the same size do not change places.
  ///
  /// - Parameters:
  ///   - rootBytes: the footprint of the process itself.
  ///   - previous: the member that was the greatest before; `nil` for the process itself.
  func greatestMember(rootBytes: UInt64, previous: Target?) -> TreeMember? {
    var greatest: (index: Int?, bytes: UInt64) = (nil, rootBytes)
    var kept: (index: Int?, bytes: UInt64)? = previous == nil ? greatest : nil
    for index in members.indices where !members[index].isZombie && !members[index].hasVanished {
      let bytes = members[index].footprint(pageBytes: units.pageBytes)
      if members[index].pid == previous?.pid, members[index].startTicks == previous?.startTicks {
        kept = (index, bytes)
      }
      if bytes > greatest.bytes { greatest = (index, bytes) }
    }
    if let kept, greatest.bytes <= kept.bytes &+ kept.bytes / 2 { greatest = kept }
    return greatest.index.map { members[$0] }
  }
}
