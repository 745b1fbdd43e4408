import Glibc
import PerfHUDBase
import Testing

@testable import PerfHUD

@Suite struct AtomicFileTests {
  private func facts(of path: String) throws -> stat {
    var facts = stat()
    try #require(unsafe stat(path, &facts) == 0)
    return facts
  }

  @Test(.enabled(if: geteuid() == 0, "only root may give a file away"))
  func `owner, group and mode of the old file stay`() throws {
    try withFile("old\n") { path in
      try #require(unsafe chown(path, 12345, 12346) == 0)
      try #require(unsafe chmod(path, 0o640) == 0)
      try AtomicFile.write(Array("new\n".utf8), to: path)
      let found = try facts(of: path)
      #expect((found.st_uid, found.st_gid) == (12345, 12346))
      #expect(found.st_mode & 0o7777 == 0o640)
      #expect(try readFile(path) == Array("new\n".utf8))
    }
  }

  @Test func `a new file is the user's alone`() throws {
    try withFile("") { path in
      try #require(unsafe unlink(path) == 0)
      try AtomicFile.write(Array("new\n".utf8), to: path)
      let found = try facts(of: path)
      #expect(found.st_uid == geteuid())
      #expect(found.st_mode & 0o7777 == 0o600)
    }
  }

  @Test
  func `a missing folder is an error with the path, and is made only where that is asked for`()
    throws
  {
    try withFile("") { path in
      try #require(unsafe unlink(path) == 0)
      let file = path + "/below/file"
      let error = #expect(throws: SystemError.self) { try AtomicFile.write([1], to: file) }
      #expect(error?.code == .noSuchFileOrDirectory && error?.subject == file)
      #expect(unsafe access(path, F_OK) != 0)
      try AtomicFile.write([1], to: file, makesFolder: true)
      #expect(try readFile(file) == [1])
      unsafe unlink(file)
      unsafe rmdir(path + "/below")
      unsafe rmdir(path)
    }
  }

  @Test func `what must not be replaced is not, whether it is a file or a link to nothing`() throws
  {
    try withFile("old\n") { path in
      let link = path + ".link"
      try #require(unsafe symlink("/none/at/all", link) == 0)
      defer { _ = unsafe unlink(link) }
      for taken in [path, link] {
        let error = #expect(throws: SystemError.self) {
          try AtomicFile.write(Array("new\n".utf8), to: taken, replaces: false)
        }
        #expect(error?.code == .fileExists)
        #expect(unsafe access("\(taken).\(getpid())", F_OK) != 0)
      }
      #expect(try readFile(path) == Array("old\n".utf8))
      try #require(unsafe unlink(path) == 0)
      try AtomicFile.write(Array("new\n".utf8), to: path, replaces: false)
      #expect(try readFile(path) == Array("new\n".utf8))
    }
  }
}
