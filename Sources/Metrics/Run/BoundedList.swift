/// A list with room for a fixed number of elements. It never allocates after `init`.
package struct BoundedList<Element: BitwiseCopyable & Sendable>: RandomAccessCollection, Sendable {
  private var storage: [Element]
  package private(set) var count = 0

  /// - Parameter filler: The value of unused elements.
  init(capacity: Int, filler: Element) {
    storage = Array(repeating: filler, count: capacity)
  }

  var isFull: Bool { count == storage.count }
  package var startIndex: Int { 0 }
  package var endIndex: Int { count }

  package internal(set) subscript(position: Int) -> Element {
    get {
      precondition(position < count)
      return storage[position]
    }
    set {
      precondition(position < count)
      storage[position] = newValue
    }
  }

  /// Appends an element. There must be room for it.
  mutating func append(_ element: Element) { insert(element, at: count) }

  mutating func insert(_ element: Element, at position: Int) {
    var slot = count
    while slot > position {
      storage[slot] = storage[slot - 1]
      slot -= 1
    }
    storage[position] = element
    count += 1
  }

  mutating func remove(at position: Int) {
    for slot in position..<count - 1 { storage[slot] = storage[slot + 1] }
    count -= 1
  }
}
