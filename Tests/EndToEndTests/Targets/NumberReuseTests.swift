import Glibc
import TestSupport
import Testing

/// Numbers of processes that have ended and are given away at once, in a pid namespace of the test's own.
@Suite struct NumberReuseTests {
  /// What both scripts begin with. The next process has a number that is told to the kernel; a program
  /// that burns is waited for until it has used 0.4 s.
  private static let tools = """
    reuse() {
      while [ -e /proc/$1 ]; do :; done
      echo $(($1 - 1)) > /proc/sys/kernel/ns_last_pid
      sh -c "while :; do :; done" & new=$!
      [ $new = $1 ] || exit 77
      while read -r line < /proc/$new/stat; set -- $line; [ ${14} -lt 40 ]; do sleep 0.05; done
    }
    await() { until [ $(wc -l < "$lines") -ge $1 ]; do sleep 0.05; done; }
    """

  private func run(_ script: String) throws -> [JSONLine] {
    try requireNamespaces()
    guard unsafe access("/proc/sys/kernel/ns_last_pid", W_OK) == 0 else {
      throw ToolError("this test needs a /proc/sys/kernel/ns_last_pid that can be written")
    }
    let directory = try TemporaryDirectory()
    let output = try Perfhud.shell(
      """
      exec unshare -pf --mount-proc sh -c '\(NumberReuseTests.tools)
      : > "$lines"
      \(script)'
      """, environment: ["lines": directory.file("lines")])
    #expect(output.status == .exit(0), "\(output.stderr)")
    let text = try Tool.run(["cat", directory.file("lines")])
    return try text.lines.map { try JSONLine($0) }
  }

  @Test func `the number of the target is given away before anybody looked: it has ended`() throws {
    let lines = try run(
      """
      sleep 1000 & target=$!
      "$perfhud" --format jsonl --tick 0 --pid $target > "$lines" & hud=$!
      await 3
      kill -STOP $hud
      kill -KILL $target; wait $target
      reuse $target
      kill -CONT $hud
      wait $hud || exit 78
      kill -KILL $target
      """)
    let last = try #require(lines.last)
    #expect(try last.text("state") == "X")
    #expect(try last.text("comm") == "sleep")
    #expect(try #require(try last.number("cpu_time_s")) < 0.3)
  }

  @Test func `the number of a child is given away before anybody looked: it is gone`() throws {
    let lines = try run(
      """
      sh -c "sleep 1000 & wait; exec sleep 1000" & target=$!
      until child=$(cat /proc/$target/task/$target/children) && [ -n "$child" ]; do sleep 0.05; done
      "$perfhud" --format jsonl --tick 0 --tree --pid $target > "$lines" & hud=$!
      await 3
      kill -STOP $hud
      kill -KILL $child
      reuse ${child% }
      kill -CONT $hud
      await $(($(wc -l < "$lines") + 4))
      kill -INT $hud; wait $hud || exit 78
      kill -KILL ${child% } $target
      """)
    let first = try #require(lines.first)
    let last = try #require(lines.last)
    #expect(try first.number("processes") == 2)
    #expect(try last.number("processes") == 1)
    #expect(try #require(try last.number("cpu_time_s")) < 0.3)
  }
}
