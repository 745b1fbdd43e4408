import Synchronization

/// A field that keeps the struct around it in one place.
///
/// Swift may hand a struct to a method that only reads it as a copy, and does so with large ones whose
/// fields all are plain: more than a kilobyte for each question to the screen. A struct with an atomic
/// value in it has an address that is part of what it is, and is only ever handed on by it.
/// `scripts/check-copies.sh` holds it.
struct Pinned: ~Copyable {
  private let mark = Atomic<Bool>(false)
}
