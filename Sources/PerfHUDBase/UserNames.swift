/// The names of users by user ID, from a file in the format of /etc/passwd.
///
/// A user who is not in the file, for instance one from a directory service, is shown as a number. Source: passwd(5).
package struct UserNames: Sendable {
  private var names: [UInt32: String] = [:]

  /// - Parameter path: if the file cannot be read, there are no names.
  package init(path: String = "/etc/passwd") {
    guard let bytes = try? readFile(path) else { return }
    for line in bytes.split(separator: 0x0A) {
      let fields = line.split(separator: 0x3A, omittingEmptySubsequences: false)
      guard fields.count >= 3, !fields[0].isEmpty,
        let number = UInt32(String(decoding: fields[2], as: UTF8.self))
      else { continue }
      // The first entry for an ID counts.
      if names[number] == nil { names[number] = SafeText.clean(bytes: fields[0], limit: 32) }
    }
  }

  /// The name, harmless for a terminal; the number if there is no name.
  package subscript(number: UInt32) -> String { names[number] ?? "\(number)" }
}
