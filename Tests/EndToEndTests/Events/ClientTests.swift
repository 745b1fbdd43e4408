import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// The clients in C and Python: what they compile with, what they write, and that a HUD never holds them up.
@Suite struct ClientTests {
  @Test func `the header compiles without a warning as C99 and as C++`() throws {
    let directory = try TemporaryDirectory()
    let source = directory.file("a.c")
    let text = """
      #define PERFHUD_IMPLEMENTATION
      #include "\(clientPath("perfhud.h"))"
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
      #include "\(clientPath("perfhud.h"))"
      int main(void) { return perfhud_allocator_trim() != 0; }

      """
    try TestFile.write(Array(text.utf8), to: directory.file("a.c"))
    let output = try Tool.run(
      ["gcc", "-Wall", "-Werror", "-c", "-o", "/dev/null", directory.file("a.c")], timeout: 60)
    #expect(output.status == .exit(0), "\(output.stderr)")
  }

  @Test func `the C client and the Python client write the lines of the specification`() throws {
    let directory = try TemporaryDirectory()
    let program = try compileClient(
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
    let folder = clientPath("perfhud.py").split(separator: "/").dropLast().joined(separator: "/")
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
    let program = try compileClient(
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
    let folder = clientPath("perfhud.py").split(separator: "/").dropLast().joined(separator: "/")
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

  @Test func `an exception from a signal handler leaves no lock of the Python client behind`()
    throws
  {
    let directory = try TemporaryDirectory()
    // A round ends with an exception at any place in the client, or has a call of it in between.
    let script = """
      import os, signal, socket, sys, time
      heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
      heard.bind(sys.argv[1] + "/s")
      heard.setblocking(False)
      os.environ["PERFHUD_SOCKET"] = sys.argv[1] + "/s"
      sys.path.insert(0, sys.argv[2])
      import perfhud
      class Interrupt(Exception): pass
      armed = raises = False
      def handle(*_):
          global armed
          if armed and raises:
              armed = False
              raise Interrupt
          if armed: perfhud.action("handler")
      def take():
          lines = []
          try:
              while True: lines += heard.recv(9000).split(b"\\n")
          except BlockingIOError: return lines
      signal.signal(signal.SIGALRM, handle)
      for number in range(1500):
          raises = number % 3 != 2
          try:
              armed = True
              signal.setitimer(signal.ITIMER_REAL, 0.0003)
              for _ in range(60):
                  perfhud.action("x")
                  perfhud.phase("p")
              armed = False
          except Interrupt: pass
          take()
      signal.signal(signal.SIGALRM, signal.SIG_IGN)
      perfhud.flush()
      take()
      perfhud.action("last")
      # After a queue that was full the client pauses for a moment.
      for _ in range(1000):
          if perfhud.flush(): break
          time.sleep(0.001)
      print([line.split()[:2] for line in take()] == [[b"action", b"last"]])
      """
    let folder = clientPath("perfhud.py").split(separator: "/").dropLast().joined(separator: "/")
    let output = try Tool.run(["python3", "-c", script, directory.path, "/" + folder])
    #expect(output.lines == ["True"], "\(output.stdout)\(output.stderr)")
  }

  @Test func `of a flood by the C client every event is received or counted as lost`() throws {
    let directory = try TemporaryDirectory()
    let flood = try compileClient(
      """
      int main(void) {
        for (int i = 0; i < 200000; i++) perfhud_frame();
        // After a line that has arrived every gap can be seen.
        perfhud_toast("end");
        /* Until the receiver has made room for the rest. */
        for (int i = 0; i < 10000 && !perfhud_flush(); i++) usleep(1000);
        printf("%llu\\n", perfhud_state.sequence);
        return 0;
      }
      """, in: directory)
    let output = try Perfhud.run(
      "--batch", "--summary", "--", flood, environment: isolatedEnvironment(directory))
    let counts = eventCounts(output.stderr)
    let sent = output.lines.first.flatMap { Int($0) } ?? 0
    #expect(sent == 200_001)
    #expect(counts.received + counts.lost == sent && counts.bad == 0, "\(output.stderr)")
  }

  @Test func `a HUD that is stopped holds up no client`() throws {
    let directory = try TemporaryDirectory()
    let flood = try compileClient(
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
      print(\\"done\\")" \(clientPath("perfhud.py").split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 })
      timeout 20 "$perfhud" emit frame && echo done
      kill -CONT "$PERFHUD"'
      """
    let output = try Perfhud.shell(script, environment: isolatedEnvironment(directory))
    #expect(output.lines == ["done", "done", "done"], "\(output.stderr)")
    #expect(eventCounts(output.stderr).received > 0)
  }
}
