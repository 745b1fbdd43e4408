import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// What the command finds: descriptors, signals, environment, size.
@Suite struct CommandEnvironmentTests {
  /// Text that a script on a terminal writes into a file.
  private func report(_ script: (_ file: String) -> String) throws -> String {
    let directory = try TemporaryDirectory()
    let file = directory.file("report")
    let pty = try Overlay.script(script(file))
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0), "\(quote(pty.output))")
    return String(decoding: (try? readFile(file)) ?? [], as: UTF8.self)
  }

  private static let kinds = ["terminal", "pipe", "file"]

  @Test(
    arguments: kinds.flatMap { input in kinds.flatMap { out in kinds.map { [input, out, $0] } } })
  func `descriptors 0, 1 and 2 are of the kind that the shell has given`(kinds: [String]) throws {
    let directory = try TemporaryDirectory()
    let report = directory.file("report")
    try TestFile.write(Array("a line\n".utf8), to: directory.file("input"))
    // Kinds by what /proc says; then a line is read, unless a person would have to type it, and
    // written to both.
    let command = """
      for n in 0 1 2; do
        if [ -t $n ]; then kind=terminal; elif [ -p /dev/fd/$n ]; then kind=pipe; else kind=file; fi
        echo $kind >> "$1"
      done
      line=none; [ -t 0 ] || read -r line
      echo "out $line"; echo "err $line" >&2; exit 9
      """
    try TestFile.write(Array(command.utf8), to: directory.file("command"))
    let before = ["terminal": "", "pipe": "cat input | ", "file": ""][kinds[0]] ?? ""
    let input = kinds[0] == "file" ? " < input" : ""
    let error = ["terminal": "", "pipe": " 2> fifo", "file": " 2> err"][kinds[2]] ?? ""
    let output = ["terminal": "", "pipe": " | cat > out", "file": " > out"][kinds[1]] ?? ""
    let pty = try Overlay.script(
      """
      set -o pipefail; cd \(directory.path)
      mkfifo fifo; cat fifo > err & exec 8> fifo
      \(before)"$perfhud" -- sh command \(report)\(input)\(error)\(output)
      status=$?; exec 8>&-; wait; exit $status
      """)
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(9), "\(quote(pty.output))")
    let found = String(decoding: try readFile(report), as: UTF8.self).split(separator: "\n")
    #expect(found.map(String.init) == kinds)
    let line = kinds[0] == "terminal" ? "none" : "a line"
    func arrived(_ kind: String, _ name: String) throws -> String {
      if kind == "terminal" { return pty.text }
      // The reader of a pipe may end after the shell.
      let file = directory.file(name)
      try waitUntil(deadline: Perfhud.deadline, "what was written to \(name)") {
        TestFile.size(file) > 0
      }
      return String(decoding: try readFile(file), as: UTF8.self)
    }
    #expect(try arrived(kinds[1], "out").contains("out \(line)"))
    #expect(try arrived(kinds[2], "err").contains("err \(line)"))
    if kinds[1] != "terminal" {
      #expect(try readFile(directory.file("out")) == Array("out \(line)\n".utf8))
    }
  }

  @Test func `perfhud -- diff <(seq 3) <(seq 4): descriptors beyond 2 are inherited`() throws {
    let pty = try Overlay.script("\"$perfhud\" -- diff <(seq 3) <(seq 4)")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(1))
    #expect(pty.text.contains("3a4\r\n> 4\r\n"), "\(quote(pty.output))")
  }

  @Test func `the command has no descriptor that it would not have bare`() throws {
    let list = { (prefix: String) in
      try self.report { "\(prefix) sh -c 'ls /proc/$$/fd > \($0)' 7< /dev/null" }
    }
    let wrapped = try list("\"$perfhud\" --")
    #expect(wrapped == (try list("")))
    #expect(wrapped.contains("7"))
  }

  private static let closed = ["<&-", "2>&-", "<&- 2>&-", ">&-", "<&- >&- 2>&-", ">&- 2>&-"]

  @Test(arguments: ["--no-summary", "--batch"].flatMap { mode in closed.map { [mode, $0] } })
  func `closed descriptors stay closed, and are none of perfhud's files`(choice: [String]) throws {
    let program = #"""
      kinds=; own=
      for n in 0 1 2; do
        if [ -t $n ]; then kind=terminal; elif [ -e /proc/$$/fd/$n ]; then kind=file; else kind=closed; fi
        kinds="$kinds $kind"
        [ -z "$PERFHUD" ] || [ $kind != closed ] && continue
        case $(readlink /proc/$PERFHUD/fd/$n) in / | /dev/null) ;; *) own="$own $n" ;; esac
      done
      echo "$kinds own:$own." > "$0"
      """#
    let directory = try TemporaryDirectory()
    try TestFile.write(Array(program.utf8), to: directory.file("program"))
    let list = { (prefix: String) in
      try self.report { file in
        "\(prefix) sh -c '. \(directory.file("program"))' \(file) \(choice[1])"
      }
    }
    let wrapped = try list("\"$perfhud\" \(choice[0]) --")
    #expect(wrapped == (try list("")))
    #expect(wrapped.contains("closed") && wrapped.hasSuffix("own:.\n"), "\(wrapped)")
  }

  @Test(arguments: ["HUP", "HUP INT QUIT TERM", "USR1 TSTP TTOU", "PIPE CHLD WINCH"])
  func `ignored and blocked signals are the same as bare`(signals: String) throws {
    let list = { (prefix: String) in
      try self.report { file in
        "trap '' \(signals); \(prefix) sh -c 'exec grep -E \"Sig(Ign|Blk)\" /proc/self/status > \(file)'"
      }
    }
    let wrapped = try list("\"$perfhud\" --")
    let bare = try list("")
    #expect(wrapped == bare)
    #expect(wrapped.contains("SigIgn"))
  }

  @Test func `PERFHUD is the process number of perfhud`() throws {
    let pty = try Overlay.pty("sh", "-c", "echo \"<$PERFHUD>\"")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    let value = Overlay.isControl ? "" : "\(pty.pid)"
    #expect(pty.text.contains("<\(value)>"), "\(quote(pty.output))")
  }

  @Test func `a perfhud below a perfhud runs its command directly`() throws {
    let pty = try Overlay.pty(
      "sh", "-c", "\"$perfhud\" -- sh -c 'echo \"<$PERFHUD>\"; exit 6'")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(6))
    let value = Overlay.isControl ? "" : "\(pty.pid)"
    #expect(pty.text.contains("<\(value)>"), "\(quote(pty.output))")
    if !Overlay.isControl { #expect(pty.text.contains("perfhud: "), "\(quote(pty.output))") }
  }

  @Test func `a perfhud that PERFHUD names and that has ended draws on no terminal`() throws {
    guard !Overlay.isControl else { return }  // It is about perfhud alone.
    let pty = try Overlay.pty(
      "sh", "-c",
      "true & dead=$!; wait; PERFHUD=$dead \"$perfhud\" -- sh -c 'echo \"<$PERFHUD>\"; exit 6'")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(6))
    #expect(!pty.text.contains("draws on this terminal already"), "\(quote(pty.output))")
  }

  @Test(arguments: [(0, 0), (80, 24), (1, 1), (500, 200)])
  func `the size is the terminal's`(columns: Int, rows: Int) throws {
    let pty = try Overlay.pty("stty", "size", columns: columns, rows: rows)
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    #expect(pty.text.contains("\(rows) \(columns)\r\n"), "\(quote(pty.output))")
  }

  @Test func `a new size comes with SIGWINCH, with its pixels`() throws {
    let pty = try Overlay.pty(
      "python3", "-c",
      """
      import fcntl, signal, struct, termios
      signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH])
      print("ready", flush=True)
      while True:
        signal.sigwait([signal.SIGWINCH])
        size = fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8))
        print(*struct.unpack("HHHH", size), flush=True)
      """)
    try pty.read(deadline: Perfhud.deadline, until: "ready")
    for (columns, rows, width, height) in [
      (100, 30, 600, 390), (60, 10, 0, 0), (200, 50, 1200, 650),
    ] {
      pty.resize(columns: columns, rows: rows, pixelWidth: width, pixelHeight: height)
      try pty.read(
        deadline: Perfhud.deadline, until: "\(rows) \(columns) \(width) \(height)\r\n")
    }
    pty.signal(SIGTERM)
    _ = try pty.wait(deadline: Perfhud.deadline)
  }

  @Test func `the command's terminal is its controlling terminal, with itself in the foreground`()
    throws
  {
    let pty = try Overlay.pty("sh", "-c", "ps -o tty=,stat=,tpgid=,pgid= -p $$; tty")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    let found = try #require(
      pty.text.firstMatch(of: #/(pts/\d+) +(\S+) +(\d+) +(\d+)\r\n/dev/(pts/\d+)/#))
    #expect(found.1 == found.5 && found.2.contains("+") && found.3 == found.4)
  }
}
