import Testing

@testable import PerfHUD

@Suite struct VersionTests {
  @Test func `the version has the commit and its day where the build knew them`() {
    #expect(Version.line(build: "") == "perfhud \(Version.number)")
    #expect(
      Version.line(build: "1a2b3c4d5e6f, 2026-11-23")
        == "perfhud \(Version.number) (1a2b3c4d5e6f, 2026-11-23)")
  }
}
