import Testing

@testable import PerfHUD

@Suite struct RecordingRequestTests {
  @Test func `--record-limit 64MiB and --record-last 10m are checked values`() throws {
    let limited = try request("--record run.phr --record-limit 64MiB --pid 42")
    #expect(limited.recording?.limit == 64 << 20 && limited.recording?.last == nil)
    let last = try request("--record run.phr --record-last 10m vim")
    #expect(last.recording?.last == 600_000_000_000 && last.recording?.limit == nil)
    #expect(try request("--record r --record-limit 1.5GB vim").recording?.limit == 1_500_000_000)
  }

  @Test func `--record-screen records the screen of a command`() throws {
    #expect(try request("--record r --record-screen vim").recording?.keepsScreen == true)
    #expect(try request("--record r vim").recording?.keepsScreen == false)
  }

  @Test(arguments: [
    ("--record-screen vim", "--record-screen has an effect only with --record FILE"),
    (
      "--record r --record-screen --pid 42",
      "--record-screen needs a command: perfhud --record FILE --record-screen COMMAND"
    ),
    (
      "--record r --record-screen --batch vim",
      "--record-screen needs the HUD over the command: leave out --batch"
    ),
    (
      "--record r --record-screen --record-last 9s vim",
      "--record-screen keeps the whole run: leave out --record-last"
    ),
    (
      "--record r --record-screen --record-limit 9MiB vim",
      "--record-screen keeps the whole run: leave out --record-limit"
    ),
    ("--record - --record-screen vim", "--record-screen needs a file: --record - is a stream"),
    (
      "--output - vim",
      "--output needs the name of a file; for standard output: --output /dev/stdout"
    ),
    (
      "--otlp - --pid 42",
      "--otlp needs the name of a file; for standard output: --otlp /dev/stdout"
    ),
    (
      "--budget wall<1h --junit - vim",
      "--junit needs the name of a file; for standard output: --junit /dev/stdout"
    ),
    ("--record-limit 64MiB vim", "--record-limit has an effect only with --record FILE"),
    ("--record-last 10m vim", "--record-last has an effect only with --record FILE"),
    ("--record r --record-limit 64 vim", "record-limit '64' is not a size such as 64MiB"),
    ("--record r --record-limit much vim", "record-limit 'much' is not a size such as 64MiB"),
    ("--record r --record-limit 9e9GiB vim", "record-limit '9e9GiB' is not a size such as 64MiB"),
    ("--record r --record-limit 10KiB vim", "record-limit '10KiB' is too small: at least 1MiB"),
    ("--record r --record-last 0 vim", "record-last '0' is not a time such as 10m, of at least 1s"),
    (
      "--record - --record-last 9s --pid 42 -o x",
      "--record-last needs a file: --record - is a stream"
    ),
    (
      "--record - --record-limit 9MiB --pid 42 -o x",
      "--record-limit needs a file: --record - is a stream"
    ),
  ])
  func `a mistake is one line`(line: String, message: String) {
    #expect(mistake(line) == message)
  }
}
