import CLinux
import Glibc

/// Gives the calling thread a user's file permissions until they are restored: root must not follow links that this
/// user has put there, nor create files of root's group.
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
