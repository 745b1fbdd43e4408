/* The system calls behind events: unix(7) datagrams, inotify(7) and file permissions. */
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static void take_control(struct msghdr *header, struct perfhud_datagram *datagram) {
  for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part)) {
    if (part->cmsg_level != SOL_SOCKET) continue;
    if (part->cmsg_type == SCM_CREDENTIALS) {
      struct ucred sender;
      memcpy(&sender, CMSG_DATA(part), sizeof sender);
      datagram->has_sender = 1;
      datagram->pid = sender.pid;
      datagram->uid = sender.uid;
    } else if (part->cmsg_type == SCM_TIMESTAMPNS) {
      struct timespec time;
      memcpy(&time, CMSG_DATA(part), sizeof time);
      datagram->has_time = 1;
      datagram->wall_nanoseconds = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
    } else if (part->cmsg_type == SCM_RIGHTS) {
      /* The sender attached descriptors: close them. */
      size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (size_t index = 0; index < count; index++) {
        int extra;
        memcpy(&extra, CMSG_DATA(part) + index * sizeof extra, sizeof extra);
        close(extra);
      }
    }
  }
}

int perfhud_receive(int descriptor, uint8_t *buffer, size_t room, struct perfhud_datagram *list,
                    unsigned count) {
  union {
    char bytes[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(struct timespec)) + 64];
    struct cmsghdr alignment;
  } control[PERFHUD_DATAGRAMS];
  struct mmsghdr messages[PERFHUD_DATAGRAMS];
  struct iovec vectors[PERFHUD_DATAGRAMS];
  if (count > PERFHUD_DATAGRAMS) count = PERFHUD_DATAGRAMS;
  memset(messages, 0, sizeof messages);
  for (unsigned index = 0; index < count; index++) {
    vectors[index].iov_base = buffer + index * room;
    vectors[index].iov_len = room;
    messages[index].msg_hdr.msg_iov = &vectors[index];
    messages[index].msg_hdr.msg_iovlen = 1;
    messages[index].msg_hdr.msg_control = control[index].bytes;
    messages[index].msg_hdr.msg_controllen = sizeof control[index].bytes;
  }
  int received = recvmmsg(descriptor, messages, count, MSG_DONTWAIT | MSG_CMSG_CLOEXEC, NULL);
  for (int index = 0; index < received; index++) {
    memset(&list[index], 0, sizeof list[index]);
    list[index].length = messages[index].msg_len;
    list[index].was_cut = (messages[index].msg_hdr.msg_flags & MSG_TRUNC) != 0;
    take_control(&messages[index].msg_hdr, &list[index]);
  }
  return received;
}

int perfhud_datagram_socket(int receives) {
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0 || !receives) return descriptor;
  int on = 1;
  /* bind(2) gives the file the mode of the socket. A umask would affect all threads. */
  if (fchmod(descriptor, 0600) == 0 &&
      setsockopt(descriptor, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0 &&
      setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) == 0)
    return descriptor;
  int code = errno;
  close(descriptor);
  errno = code;
  return -1;
}

static int fill(struct sockaddr_un *address, const char *path) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  if (strlen(path) >= sizeof address->sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(address->sun_path, path);
  return 0;
}

int perfhud_bind_path(int descriptor, const char *path) {
  struct sockaddr_un address;
  if (fill(&address, path) != 0) return -1;
  return bind(descriptor, (struct sockaddr *)&address, sizeof address);
}

int perfhud_connect_path(int descriptor, const char *path) {
  struct sockaddr_un address;
  if (fill(&address, path) != 0) return -1;
  return connect(descriptor, (struct sockaddr *)&address, sizeof address);
}

long perfhud_send(int descriptor, const uint8_t *bytes, size_t length) {
  return send(descriptor, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void perfhud_take_file_rights(uid_t user, gid_t group, perfhud_file_rights *before) {
  before->count = -1;
  before->user = user;
  before->group = group;
  if (user == geteuid()) return;
  /* The system call changes only this thread; setgroups(3) would change all threads. */
  before->count = getgroups(PERFHUD_GROUP_LIMIT, before->groups);
  before->group = (gid_t)setfsgid(group);
  if (before->count > 0) syscall(SYS_setgroups, 0, NULL);
  before->user = (uid_t)setfsuid(user);
}

void perfhud_restore_file_rights(const perfhud_file_rights *before) {
  setfsuid(before->user);
  setfsgid(before->group);
  if (before->count > 0) syscall(SYS_setgroups, before->count, before->groups);
}

int perfhud_watch_open(void) { return inotify_init1(IN_CLOEXEC | IN_NONBLOCK); }

int perfhud_watch_add(int descriptor, const char *path) {
  return inotify_add_watch(descriptor, path, IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF);
}

void perfhud_watch_remove(int descriptor, int watch) { inotify_rm_watch(descriptor, watch); }

void perfhud_allocator(uint64_t *taken_bytes, uint64_t *free_bytes) {
  struct mallinfo2 info = mallinfo2();
  *taken_bytes = (uint64_t)info.arena + (uint64_t)info.hblkhd;
  *free_bytes = (uint64_t)info.fordblks;
}

int perfhud_release_memory(void) { return malloc_trim(0); }
