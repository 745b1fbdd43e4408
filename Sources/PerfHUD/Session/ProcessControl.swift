import CProcess
import Glibc
import HUD
import PerfHUDBase
import Sampler

/// Sends signals to listed processes, and changes their priorities.
///
/// A process is identified by its PID and its start time. A descriptor for the PID is opened first, and then the start
/// time is compared: after that, the descriptor can never refer to another process.
///
/// Source: `pidfd_open(2)`, `pidfd_send_signal(2)`, `setpriority(2)`.
enum ProcessControl {
  /// Sends a signal.
  ///
  /// - Parameter root: where /proc is mounted.
  static func send(
    _ signal: Int32, to target: Target, root: String = "/proc"
  ) -> ProcessControlResult {
    do throws(Failure) {
      let process = try open(target, root)
      guard perfhud_process_signal(process.raw, signal) == 0 else { throw Failure(errno) }
      return .sent
    } catch {
      return error.result
    }
  }

  /// Changes the nice value of all threads of a process.
  ///
  /// - Parameter step: the value to add; the kernel limits the result to -20…19.
  static func renice(
    _ target: Target, by step: Int32, root: String = "/proc"
  ) -> ProcessControlResult {
    do throws(Failure) {
      let process = try open(target, root)
      let before = getpriority(which, id_t(target.pid))
      let wanted = max(-20, min(19, before + step))
      // The kernel has one value for each thread. Threads that end meanwhile do not matter.
      var code: Int32 = 0
      for thread in threads(of: target.pid, root) {
        guard setpriority(which, id_t(thread), wanted) != 0, errno != ESRCH else { continue }
        code = errno
      }
      if code != 0 { throw Failure(code) }
      // The process may have ended, and its PID may belong to another one.
      guard perfhud_process_signal(process.raw, 0) == 0 else { throw Failure(errno) }
      return .reniced(from: Int(before), to: Int(getpriority(which, id_t(target.pid))))
    } catch {
      return error.result
    }
  }

  /// A single thread, by its number.
  private static let which = Int32(PRIO_PROCESS.rawValue)

  private struct Failure: Error {
    let result: ProcessControlResult
    init(_ code: Int32) {
      result =
        switch code {
        case ESRCH: .ended
        case EPERM, EACCES: .denied
        default: .unsupported
        }
    }
  }

  private static func open(_ target: Target, _ root: String) throws(Failure) -> Descriptor {
    // For system calls, the PIDs of this /proc would refer to other processes.
    guard ProcMount.showsOurNamespace(root: root) else { throw Failure(ENOSYS) }
    let raw = perfhud_process_open(target.pid)
    guard raw >= 0 else { throw Failure(errno == EINVAL ? ESRCH : errno) }
    let process = Descriptor(owning: raw)
    guard (try? ProcessFacts(pid: target.pid, root: root))?.target == target else {
      throw Failure(ESRCH)
    }
    return process
  }

  private static func threads(of pid: Int32, _ root: String) -> [Int32] {
    guard let directory = unsafe opendir("\(root)/\(pid)/task") else { return [pid] }
    defer { unsafe closedir(directory) }
    var threads: [Int32] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
      }
      if let number = Int32(name) { threads.append(number) }
    }
    return threads
  }
}
