import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// What programs say of themselves, up to the counts in the summary at the end of a command.
@Suite struct EventTests {
  /// The figures of the summary's line `events`: received, lost, not understood.
  private func events(_ output: String) -> (received: Int, lost: Int, bad: Int) {
    var found = (received: 0, lost: 0, bad: 0)
    for line in output.split(separator: "\n") where line.hasPrefix("  events ") {
      for part in line.dropFirst(9).split(separator: ",") {
        let words = part.split(separator: " ")
        let number = words.first.flatMap { Int($0) } ?? -1
        if words.contains("lost") {
          found.lost = number
        } else if words.contains("understood") {
          found.bad = number
        } else {
          found.received = number
        }
      }
    }
    return found
  }

  /// Directories of its own, so that no other perfhud is met.
  private func places(_ directory: TemporaryDirectory) -> [String: String?] {
    ["XDG_RUNTIME_DIR": directory.path, "TMPDIR": nil, "PERFHUD_SOCKET": nil]
  }

  private func client(_ name: String) -> String {
    Repository.path("clients/\(name)")
  }

  @Test func `each kind that a script emits is received, and the socket is gone at the end`() throws
  {
    let directory = try TemporaryDirectory()
    let script = """
      "$perfhud" --batch --summary -- sh -c '
      "$perfhud" emit phase photo gallery --icon 🖼 --color orange
      "$perfhud" emit action pen.move --detail "at 10" --count 3
      "$perfhud" emit frame
      "$perfhud" emit toast saved
      "$perfhud" emit loading images --progress 0.5
      "$perfhud" emit loading --done
      "$perfhud" emit value cache -12.5 --unit MiB
      ls "$XDG_RUNTIME_DIR"/perfhud'
      """
    let output = try Perfhud.shell(script, environment: places(directory))
    #expect(output.status == .exit(0))
    #expect(events(output.stderr) == (7, 0, 0), "\(output.stderr)")
    #expect(output.lines.count == 1 && output.lines.first?.hasPrefix("hud-") == true)
    #expect(try Tool.run(["ls", directory.path + "/perfhud"]).lines == [])
  }

  @Test func `emit without a HUD is silent and succeeds; a mistake is status 64`() throws {
    let directory = try TemporaryDirectory()
    let environment = places(directory)
    let silent = try Perfhud.run("emit", "phase", "canvas", environment: environment)
    #expect(silent.status == .exit(0) && silent.stdout.isEmpty && silent.stderr.isEmpty)
    let process = try Perfhud.run(
      "emit", "frame", "--to", "\(getpid())", environment: environment)
    #expect(process.status == .exit(0) && process.stderr.isEmpty)
    let mistakes: [[String]] = [
      ["emit"], ["emit", "phases", "x"], ["emit", "phase"], ["emit", "phase", "a", "--color", "x"],
      ["emit", "action", "a", "--count", "0"], ["emit", "value", "a", "b"],
      ["emit", "loading", "a", "--done"], ["emit", "frame", "--to", "nobody"],
    ]
    for words in mistakes {
      let output = try Tool.run(
        [try Perfhud.path()] + words, environment: Perfhud.environment(environment))
      #expect(output.status == .exit(64), "\(words): \(output.stderr)")
      #expect(output.stderr.hasPrefix("perfhud: ") && output.stderr.contains("perfhud emit"))
      #expect(output.stderr.split(separator: "\n").count == 1)
    }
    let help = try Perfhud.run("emit", "phase", "--help")
    #expect(help.status == .exit(0) && help.stdout.contains("perfhud emit phase"))
  }

  @Test func `an attached HUD receives the events of the process, which finds it by its number`()
    throws
  {
    let directory = try TemporaryDirectory()
    let script = """
      import os, sys, time
      sys.path.insert(0, os.path.dirname(sys.argv[1]))
      import perfhud
      while not perfhud._socket:
          perfhud.action("early")
          time.sleep(0.05)
      sys.stdin.readline()
      """
    let tool = try RunningTool(
      ["python3", "-c", script, client("perfhud.py")],
      environment: Perfhud.environment(places(directory)))
    let lines = try RunningTool(
      [try Perfhud.path(), "--pid", "\(tool.pid)", "--format", "jsonl"],
      environment: Perfhud.environment(["XDG_RUNTIME_DIR": "/nonexistent"]))
    // It may not have executed its program when perfhud attaches to it.
    while let line = try lines.readLine(deadline: Perfhud.deadline) {
      if try JSONLine(line).number("actions_per_s") ?? 0 > 0 { break }
    }
    let socket = directory.file("perfhud/\(tool.pid).sock")
    #expect(unsafe access(socket, F_OK) == 0)
    // Another perfhud has no second one, and says so.
    let second = try Perfhud.run("--pid", "\(tool.pid)", "--samples", "1")
    #expect(second.status == .exit(0) && second.stderr.contains("another perfhud"))
    #expect(unsafe access(socket, F_OK) == 0)
    // The program ends when it has found the socket and been asked to.
    try tool.send("")
    #expect(try tool.wait(deadline: Perfhud.deadline) == .exit(0))
    _ = try lines.wait(deadline: Perfhud.deadline)
    #expect(unsafe access(socket, F_OK) != 0)
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
  func `a signal leaves no socket`(signal: Int32) throws {
    let directory = try TemporaryDirectory()
    let load = try Load()
    let lines = try RunningTool(
      [try Perfhud.path(), "--pid", "\(load.pid)", "--format", "jsonl"],
      environment: Perfhud.environment(places(directory)))
    _ = try lines.readLine(deadline: Perfhud.deadline)
    lines.signal(signal)
    _ = try lines.wait(deadline: Perfhud.deadline)
    let left = try Tool.run([
      "find", directory.path, IsolatedDirectories.path, "-name", "\(load.pid).sock",
    ])
    #expect(left.stdout == "")
  }

  @Test func `a socket that kill -9 has left is removed by the next perfhud`() throws {
    let directory = try TemporaryDirectory()
    let script = """
      "$perfhud" --batch -- sleep 60 2> /dev/null & own=$!
      until ls "$XDG_RUNTIME_DIR"/perfhud/*.sock > /dev/null 2>&1; do :; done
      first=$(ls "$XDG_RUNTIME_DIR"/perfhud)
      kill -9 $own; wait $own 2> /dev/null
      test -e "$XDG_RUNTIME_DIR/perfhud/$first" && echo left
      "$perfhud" --batch -- true 2> /dev/null
      ls "$XDG_RUNTIME_DIR"/perfhud
      """
    let output = try Perfhud.shell(script, environment: places(directory))
    #expect(output.lines == ["left"])
  }

  @Test func `a directory of another user is refused with a line, and the command runs`() throws {
    try requireRoot()
    let directory = try TemporaryDirectory()
    let foreign = directory.file("perfhud")
    _ = try Tool.run(["install", "-d", "-m", "700", "-o", "4242", foreign])
    let output = try Perfhud.run(
      "--batch", "--", "sh", "-c", "echo \"${PERFHUD_SOCKET:-none}\"",
      environment: places(directory))
    #expect(output.status == .exit(0) && output.lines == ["none"])
    #expect(output.stderr.contains("belongs to user 4242"))
  }

  @Test func `own sequences and the socket both reach the HUD over a command`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("out")
    let script = """
      printf 'a\\033]7337;perfhud;phase canvas\\033\\\\b\\033]7337;perfhud;nonsense\\007c\\n'
      PERFHUD_SOCKET= "$perfhud" emit action by-terminal
      "$perfhud" emit action by-socket
      """
    let quoted = script.replacing("'", with: "'\\''")
    let command = "\"$perfhud\" --no-step-aside -- sh -c '\(quoted)' 2> \(file)"
    let pty = try Pty(
      ["sh", "-c", command], columns: 80, rows: 24,
      environment: try Overlay.environment(places(directory)))
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    let summary = try Tool.run(["cat", file]).stdout
    #expect(events(summary) == (3, 0, 1), "\(summary)")
    #expect(!pty.text.contains("7337"))
    #expect(pty.text.contains("abc"))
  }

  @Test func `lines that are appended to the file of --events are received`() throws {
    let directory = try TemporaryDirectory()
    let script = """
      "$perfhud" --batch --summary --interval 20ms --events "$XDG_RUNTIME_DIR/log" -- sh -c '
      echo "phase early" > "$XDG_RUNTIME_DIR/log"
      echo "phase late" >> "$XDG_RUNTIME_DIR/log"
      printf "action a\\nnonsense\\naction b\\n" >> "$XDG_RUNTIME_DIR/log"'
      """
    let output = try Perfhud.shell(script, environment: places(directory))
    #expect(events(output.stderr) == (4, 0, 1), "\(output.stderr)")
  }

  @Test func `of a flood by the C client every event is received or counted as lost`() throws {
    let directory = try TemporaryDirectory()
    let flood = try compile(
      """
      int main(void) {
        for (int i = 0; i < 200000; i++) perfhud_frame();
        // After a line that has arrived every gap can be seen.
        perfhud_toast("end");
        for (int i = 0; i < 10000 && !perfhud_flush(); i++) usleep(1000);
        printf("%llu\\n", perfhud_state.sequence);
        return 0;
      }
      """, in: directory)
    let output = try Perfhud.run(
      "--batch", "--summary", "--", flood, environment: places(directory))
    let counts = events(output.stderr)
    let sent = output.lines.first.flatMap { Int($0) } ?? 0
    #expect(sent == 200_001)
    #expect(counts.received + counts.lost == sent && counts.bad == 0, "\(output.stderr)")
  }

  @Test func `a HUD that is stopped holds up no client`() throws {
    let directory = try TemporaryDirectory()
    let flood = try compile(
      """
      int main(void) {
        for (int i = 0; i < 100000; i++) perfhud_action("pen");
        perfhud_toast("end");
        printf("done\\n");
        return 0;
      }
      """, in: directory)
    // The program ends although nobody reads: that is the test. A deadline says when it does not.
    let script = """
      "$perfhud" --batch --summary -- sh -c '
      kill -STOP "$PERFHUD"
      timeout 20 \(flood)
      timeout 20 python3 -c "
      import sys; sys.path.insert(0, sys.argv[1])
      import perfhud
      for i in range(10000): perfhud.action(\\"pen\\")
      print(\\"done\\")" \(client("perfhud.py").split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 })
      timeout 20 "$perfhud" emit frame && echo done
      kill -CONT "$PERFHUD"'
      """
    let output = try Perfhud.shell(script, environment: places(directory))
    #expect(output.lines == ["done", "done", "done"], "\(output.stderr)")
    #expect(events(output.stderr).received > 0)
  }

  @Test func `the header compiles without a warning as C99 and as C++`() throws {
    let directory = try TemporaryDirectory()
    let source = directory.file("a.c")
    let text = """
      #define PERFHUD_IMPLEMENTATION
      #include "\(client("perfhud.h"))"
      int main(void) { return 0; }

      """
    try TestFile.write(Array(text.utf8), to: source)
    for compiler in [["gcc", "-std=c99"], ["gcc", "-x", "c++"], ["gcc", "-std=gnu17", "-O2"]] {
      let output = try Tool.run(
        compiler + ["-Wall", "-Wextra", "-Werror", "-pedantic", "-c", "-o", "/dev/null", source],
        timeout: 60)
      #expect(output.status == .exit(0), "\(compiler): \(output.stderr)")
    }
  }

  @Test func `the header compiles where the C library is not that of GNU`() throws {
    let directory = try TemporaryDirectory()
    // What the C library says of itself, it says once.
    let text = """
      #include <limits.h>
      #undef __GLIBC__
      #undef __GLIBC_PREREQ
      #define PERFHUD_IMPLEMENTATION
      #include "\(client("perfhud.h"))"
      int main(void) { return perfhud_allocator_trim() != 0; }

      """
    try TestFile.write(Array(text.utf8), to: directory.file("a.c"))
    let output = try Tool.run(
      ["gcc", "-Wall", "-Werror", "-c", "-o", "/dev/null", directory.file("a.c")], timeout: 60)
    #expect(output.status == .exit(0), "\(output.stderr)")
  }

  @Test func `the C client and the Python client write the lines of the specification`() throws {
    let directory = try TemporaryDirectory()
    let program = try compile(
      """
      int main(void) {
        perfhud_phase("photo gallery", "🎨", "orange");
        perfhud_action("pen");
        perfhud_action_with("pen", 3, "at=10%");
        perfhud_frame();
        perfhud_toast("a\\x1b[2J");
        perfhud_loading("images", 0.5);
        perfhud_loading_done();
        perfhud_value("cache", 12.5, "MiB");
        return 0;
      }
      """, in: directory)
    let script = """
      import os, socket, subprocess, sys
      path = sys.argv[1] + "/s"
      heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
      heard.bind(path)
      os.environ["PERFHUD_SOCKET"] = path
      subprocess.run([sys.argv[2]])
      def take():
          heard.setblocking(False)
          lines = []
          try:
              while True: lines.append(heard.recv(4096))
          except BlockingIOError: return lines
      first = take()
      sys.path.insert(0, sys.argv[3])
      import perfhud
      perfhud.phase("photo gallery", icon="🎨", color="orange")
      perfhud.action("pen")
      perfhud.action("pen", 3, "at=10%")
      perfhud.frame()
      perfhud.toast("a\\x1b[2J")
      perfhud.loading("images", 0.5)
      perfhud.loading_done()
      perfhud.value("cache", 12.5, "MiB")
      second = take()
      import re
      first, second = [[re.sub(rb" rss=\\d+ mem=\\d+ faulted=\\d+", b" (memory)", line) for line in lines]
                       for lines in (first, second)]
      for line in first: print(line.decode())
      def fields(line): return sorted(line.split())
      print([fields(a) for a in first] == [fields(b) for b in second])
      """
    let folder = client("perfhud.py").split(separator: "/").dropLast().joined(separator: "/")
    let output = try Tool.run(["python3", "-c", script, directory.path, program, "/" + folder])
    #expect(
      output.lines == [
        "phase photo%20gallery icon=🎨 color=orange (memory) seq=1", "action pen seq=2",
        "action pen detail=at%3D10%25 n=3 seq=3", "frame seq=4", "toast a%1B[2J seq=5",
        "loading images progress=0.5 seq=6", "loading-done seq=7",
        "value cache 12.5 unit=MiB seq=8", "True",
      ], "\(output.stdout)\(output.stderr)")
  }

  @Test func `the C client and the Python client report what was freed and is held`() throws {
    let directory = try TemporaryDirectory()
    let size = 60_000
    let count = 200
    // The first bytes of each block stay, so that the rest of it is a hole.
    let program = try compile(
      """
      int main(void) {
        static char *block[\(count)];
        for (int i = 0; i < \(count); i++) {
          block[i] = (char *)malloc(\(size));
          memset(block[i], 1, \(size));
        }
        for (int i = 0; i < \(count); i++) block[i] = (char *)realloc(block[i], 16);
        perfhud_allocator_report();
        perfhud_allocator_trim();
        return block[0] == 0;
      }
      """, in: directory)
    let script = """
      import ctypes, os, socket, subprocess, sys
      heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
      heard.bind(sys.argv[1] + "/s")
      heard.setblocking(False)
      os.environ["PERFHUD_SOCKET"] = sys.argv[1] + "/s"
      subprocess.run([sys.argv[2]], check=True)
      sys.path.insert(0, sys.argv[3])
      import perfhud
      libc = ctypes.CDLL(None)
      for name in "malloc", "realloc": getattr(libc, name).restype = ctypes.c_void_p
      perfhud.allocator_trim()
      blocks = [ctypes.c_void_p(libc.malloc(\(size))) for _ in range(\(count))]
      for block in blocks: ctypes.memset(block, 1, \(size))
      blocks = [libc.realloc(block, 16) for block in blocks]
      perfhud.allocator_report()
      perfhud.allocator_trim()
      try:
          while True:
              words = heard.recv(4096).split()
              assert words[:2] == [b"value", b"allocator.retained"] and words[3] == b"unit=B"
              print(int(words[2]))
      except BlockingIOError: pass
      """
    let folder = client("perfhud.py").split(separator: "/").dropLast().joined(separator: "/")
    let output = try Tool.run(["python3", "-c", script, directory.path, program, "/" + folder])
    let figures = output.lines.compactMap { Int($0) }
    // Each says it, and then before and after it has given back; Python first gives back what it has.
    guard figures.count == 8 else { throw ToolError("\(output.stdout)\(output.stderr)") }
    let freed = Double(count * (size - 100))
    for figure in [figures[0], figures[1], figures[5], figures[6]] {
      #expect(Double(figure) > 0.8 * freed, "\(figures)")
    }
    for figure in [figures[2], figures[4], figures[7]] {
      #expect(Double(figure) < 0.2 * freed, "\(figures)")
    }
  }

  /// A program of the C client.
  private func compile(_ main: String, in directory: TemporaryDirectory) throws -> String {
    let source = directory.file("program.c")
    let text =
      "#define _GNU_SOURCE\n#define PERFHUD_IMPLEMENTATION\n#include \"\(client("perfhud.h"))\"\n"
      + main + "\n"
    try TestFile.write(Array(text.utf8), to: source)
    let binary = directory.file("program")
    let output = try Tool.run(
      ["gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-o", binary, source], timeout: 60)
    guard output.status == .exit(0) else { throw ToolError("gcc: \(output.stderr)") }
    return binary
  }
}
