/// A field that makes Swift pass the struct around it by address.
///
/// Swift copies a struct of plain fields, however large, to call a method that only reads it: kilobytes for each call.
/// A struct that contains an existential has to be in memory anyway and is always passed by address. Unlike a struct
/// that contains an `Atomic`, it can still be copied on purpose. `scripts/check-copies.sh` checks this.
public struct Anchor: Sendable {
  private let weight: (any Sendable)? = nil

  public init() {}
}
