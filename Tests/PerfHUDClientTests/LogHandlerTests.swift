#if Logging
  import PerfHUDEvents
  import Glibc
  import Logging
  import PerfHUDLogging
  import TestSupport
  import Testing

  @testable import PerfHUDClient

  extension PerfHUDClientTests {
    @Test
    func `a log statement is an action with the label as its name and the level in its detail`()
      throws
    {
      var socket = try connected()
      var logger = Logger(label: "org.example.cache") { PerfHUDLogHandler(label: $0) }
      logger.info("hit 日本")
      logger.debug("below the level")
      logger.warning("miss", metadata: ["perfhud.action": "cache.miss", "key": "a"])
      logger[metadataKey: "perfhud.action"] = "cache"
      logger.error("gone", error: Errno17())
      logger.logLevel = .debug
      logger.debug("now it counts")
      #expect(
        hear(&socket).map { String($0.split(separator: " seq=")[0]) } == [
          "action org.example.cache detail=info%20hit%20日本",
          "action cache.miss detail=warning%20miss",
          "action cache detail=error%20gone:%20file%20exists",
          "action cache detail=debug%20now%20it%20counts",
        ])
    }

    @Test func `the provider names the action where nothing nearer does`() throws {
      var socket = try connected()
      let provider = Logger.MetadataProvider { ["perfhud.action": "request"] }
      var logger = Logger(label: "server") {
        PerfHUDLogHandler(label: $0, metadataProvider: provider)
      }
      logger.notice("a")
      logger[metadataKey: "perfhud.action"] = "own"
      logger.notice("b")
      #expect(
        hear(&socket).map { String($0.split(separator: " seq=")[0]) } == [
          "action request detail=notice%20a", "action own detail=notice%20b",
        ])
    }

    @Test func `of a flood of statements all are counted, by name`() throws {
      var socket = try connected()
      let logger = Logger(label: "flood") { PerfHUDLogHandler(label: $0) }
      for number in 0..<5000 { logger.info("statement \(number)") }
      var count: UInt64 = 0
      try waitUntil("everything is sent") {
        count += hearActions(&socket, "flood")
        return PerfHUD.flush()
      }
      count += hearActions(&socket, "flood")
      #expect(count == 5000 && socket.counts.lost == 0)
    }

    private struct Errno17: Error, CustomStringConvertible {
      var description: String { "file exists" }
    }
  }
#endif
