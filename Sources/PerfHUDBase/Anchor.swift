/// A field that has the struct around it handed on by its address.
///
/// Swift hands a struct whose fields all are plain to a method that only reads it as a copy, however large it
/// is: kilobytes for each question. A value that holds an existential one has to be in memory anyway, and is
/// only ever handed on by where it is. Unlike a struct with an atomic value in it, it may be copied on purpose.
/// `scripts/check-copies.sh` holds it.
public struct Anchor: Sendable {
  private let weight: (any Sendable)? = nil

  public init() {}
}
