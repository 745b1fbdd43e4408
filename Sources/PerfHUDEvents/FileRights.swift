import CLinux
import Glibc

/// The rights of a user on files, which the calling thread has until they are restored: root must not follow what
/// that user has put there, nor make files of root's group.
///
/// Source: `setfsuid(2)`, `setfsgid(2)`, `setgroups(2)`.
struct FileRights {
  private var before = perfhud_file_rights()

  init(user: uid_t, group: gid_t) {
    unsafe perfhud_take_file_rights(user, group, &before)
  }

  func restore() {
    var before = before
    unsafe perfhud_restore_file_rights(&before)
  }
}
