/// The names of perfhud's own processes, which no program may impersonate.
enum OwnName {
  private static let parts: Set<Substring> = ["", "-hud", "-holder", "-sampler"]

  /// Whether a name could be mistaken for perfhud's own. Another program's name, such as `perfhud-demo`, could not.
  static func isLike(_ name: String) -> Bool {
    let name = name.lowercased()
    guard name.hasPrefix("perfhud") else { return false }
    let rest = name.dropFirst(7)
    return rest.first != "-" || parts.contains(rest)
  }
}
