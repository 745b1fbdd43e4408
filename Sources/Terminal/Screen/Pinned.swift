import Synchronization

/// A field that keeps the struct around it at one address.
///
/// Swift may copy a struct to call a method that only reads it, and does so with large ones: more than a kilobyte for
/// each call to the screen. A struct that contains an `Atomic` has a fixed address and is always passed by it.
/// docs/DECISIONS.md has the measurements; `scripts/check-copies.sh` checks the effect.
struct Pinned: ~Copyable {
  private let mark = Atomic<Bool>(false)
}
