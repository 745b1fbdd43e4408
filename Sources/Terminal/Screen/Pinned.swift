import Synchronization

/// A field that keeps the struct around it in one place.
///
/// Swift may pass a struct to a method that only reads it as a copy, and does so with large ones: more than a kilobyte
/// for each question to the screen. A struct with an atomic value in it has an address that is part of what it is, and
/// is only ever passed by it. docs/DECISIONS.md has what was measured; `scripts/check-copies.sh` checks it.
struct Pinned: ~Copyable {
  private let mark = Atomic<Bool>(false)
}
