import Testing

@testable import Report

/// The examples of FIPS 180-4 (NIST, "Examples with Intermediate Values", SHA-256).
struct SHA256Tests {
  private func hex(_ text: String) -> String {
    SHA256.hash(text.utf8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test func `the hash of abc is that of FIPS 180-4`() {
    #expect(hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }

  @Test func `the hash of a message of 56 bytes is that of FIPS 180-4`() {
    #expect(
      hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
  }

  @Test func `the hash of nothing is known`() {
    #expect(hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test func `a policy source is the hash in base 64`() {
    #expect(
      SHA256.policySource("abc") == "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='")
  }
}
