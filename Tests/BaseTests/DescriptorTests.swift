import Glibc
import PerfHUDBase
import SystemPackage
import Testing

/// The reading and the writing end of a pipe.
private func makePipe() throws -> (Int32, Int32) {
  let ends = try FileDescriptor.pipe(options: .closeOnExec)
  return (ends.readEnd.rawValue, ends.writeEnd.rawValue)
}

private func read(_ descriptor: borrowing Descriptor, _ limit: Int) throws -> [UInt8] {
  var buffer = [UInt8](repeating: 0, count: limit)
  let count = try unsafe buffer.withUnsafeMutableBytes { try unsafe descriptor.readNext(into: $0) }
  return Array(buffer[..<count])
}

@Suite struct DescriptorTests {
  @Test func `the end of its life closes it: the other end reads the end of the file`() throws {
    let (readingEnd, writingEnd) = try makePipe()
    let reading = Descriptor(owning: readingEnd)
    do {
      let writing = Descriptor(owning: writingEnd)
      try unsafe [UInt8]("ab".utf8).withUnsafeBytes { try unsafe writing.writeAll($0) }
      #expect(try read(reading, 8) == Array("ab".utf8))
    }
    #expect(try read(reading, 8) == [])
  }

  @Test func `a path that does not exist is ENOENT with the path in the text`() {
    do {
      _ = try Descriptor(open: "/nonexistent/perfhud")
      Issue.record("opened what does not exist")
    } catch {
      #expect(error.code == .noSuchFileOrDirectory)
      #expect(
        error.description == "cannot open /nonexistent/perfhud: No such file or directory")
    }
  }

  @Test func `a descriptor that was opened is closed by exec`() throws {
    let file = try Descriptor(open: "/dev/null")
    let flags = fcntl(file.raw, F_GETFD)
    #expect(flags & FD_CLOEXEC != 0)
  }

  @Test func `read starts at the offset, whatever was read before`() throws {
    let file = try Descriptor(open: "/proc/self/comm")
    var first = [UInt8](repeating: 0, count: 64)
    var second = first
    let count = try unsafe first.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
    let again = try unsafe second.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
    #expect(count > 1 && count == again && first == second)
    let rest = try unsafe second.withUnsafeMutableBytes { try unsafe file.read(into: $0, at: 1) }
    #expect(rest == count - 1 && second[0] == first[1])
  }

  @Test func `a descriptor that is only open for reading cannot be written`() throws {
    let file = try Descriptor(open: "/dev/null")
    #expect(throws: Errno.badFileDescriptor) {
      try unsafe [UInt8](repeating: 0, count: 1).withUnsafeBytes { try unsafe file.writeAll($0) }
    }
  }
}

@Suite struct DuplicateTests {
  @Test func `a duplicate is above standard error and is closed on exec`() throws {
    let null = try Descriptor(open: "/dev/null")
    let copy = try Descriptor(duplicating: null.raw, subject: "null")
    let number = copy.raw
    #expect(number > 2 && number != null.raw)
    #expect(fcntl(number, F_GETFD) == FD_CLOEXEC)
  }

  @Test func `what is not open is an error that says so`() {
    do {
      let copy = try Descriptor(duplicating: -1, subject: "the input")
      Issue.record("\(copy.raw)")
    } catch {
      #expect(
        error == SystemError(call: "duplicate", subject: "the input", code: .badFileDescriptor))
    }
  }
}

@Suite struct ReadFileTests {
  @Test func `a file of /proc, whose size is told as 0, is read whole`() throws {
    let bytes = try readFile("/proc/self/status")
    #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("Name:"))
    #expect(bytes.last == UInt8(ascii: "\n"))
  }

  @Test func `a file beyond the limit is EFBIG, never cut`() {
    do {
      _ = try readFile("/dev/zero", limit: 100_000)
      Issue.record("read all of /dev/zero")
    } catch {
      #expect(error.code == .fileTooLarge)
      #expect(error.subject == "/dev/zero")
    }
  }

  @Test func `an empty file is no bytes, a directory is an error`() throws {
    #expect(try readFile("/dev/null") == [])
    #expect(throws: SystemError.self) { try readFile("/proc/self") }
  }
}
