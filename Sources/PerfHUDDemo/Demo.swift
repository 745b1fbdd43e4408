import Glibc
import PerfHUDBase
import PerfHUDClient
import SystemPackage

/// A small drawing program for the terminal: a gallery of pictures and a canvas. It serves as a tour of perfhud and as
/// a subject of its tests: it reports what it does to the HUD (phases, actions, frames, a toast, loading), takes memory
/// on the canvas and releases it when it leaves the canvas, and sends an action far too often while the pen moves.
///
/// No key is needed: it plays by itself until a key is pressed, and again some time after the last key. With `--leak`
/// each visit to the canvas keeps a layer.
@main
enum Demo {
  static func main() {
    let options: DemoOptions
    do {
      options = try DemoOptions(CommandLine.arguments.dropFirst())
    } catch {
      FileDescriptorText.write("perfhud-demo: \(error)\n", to: STDERR_FILENO)
      exit(64)
    }
    if options.wantsHelp {
      FileDescriptorText.write(DemoOptions.help, to: STDOUT_FILENO)
      return
    }
    do {
      try play(options)
    } catch {
      FileDescriptorText.write("perfhud-demo: \(error)\n", to: STDERR_FILENO)
      exit(1)
    }
  }

  /// Runs until the visits are over, the user quits, or a signal arrives.
  private static func play(_ options: DemoOptions) throws(SystemError) {
    let signals = try SignalDescriptor([SIGINT, SIGTERM, SIGHUP, SIGWINCH])
    var screen = DemoScreen()
    var studio = Studio(options, now: .now())
    let log = try options.logPath.map(openLog)
    var poller = Poller()
    let signalSlot = poller.add(signals.raw)
    let keySlot = poller.add(screen.isInteractive ? STDIN_FILENO : -1)
    var ending: Int32?
    while ending == nil, !studio.isDone {
      let now = Instant.now()
      poller.wait(until: studio.nextTurn, now: now)
      if poller.isReady(signalSlot) {
        while let signal = signals.next() {
          if signal == SIGWINCH { screen.resize() } else { ending = signal }
        }
      }
      if poller.isReady(keySlot) {
        guard let keys = screen.readKeys() else { break }
        for key in keys { studio.take(key, now: .now()) }
      }
      studio.turn(now: .now())
      screen.draw(&studio)
      if let log { FileDescriptorText.write(studio.takeLog(), to: log) }
    }
    studio.close()
    if let log { FileDescriptorText.write(studio.takeLog(), to: log) }
    screen.close()
    if let ending { dieBy(ending) }
  }

  /// The log stays open until the demo ends.
  private static func openLog(_ path: String) throws(SystemError) -> Int32 {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else {
      throw SystemError(call: "open", subject: path, code: Errno(rawValue: errno))
    }
    return file
  }

  /// Ends as the signal would have ended it, so that the parent process sees the reason.
  private static func dieBy(_ signal: Int32) {
    Glibc.signal(signal, SIG_DFL)
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, signal)
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(signal)
  }
}

/// Writes text to a descriptor. Gives up on text that cannot be written.
enum FileDescriptorText {
  static func write(_ text: String, to descriptor: Int32) {
    write(Array(text.utf8), to: descriptor)
  }

  static func write(_ bytes: [UInt8], to descriptor: Int32) {
    unsafe bytes.withUnsafeBytes { try? unsafe Descriptor.writeAll($0, to: descriptor) }
  }
}
