/* One perfhud at a time draws on a terminal: a second one would take the raw modes of the first for those to
   restore.

   The lock is a name in the abstract space of Unix sockets (unix(7)): it asks for no directory that all users may
   write, holds between users (after su and sudo), and goes with the last descriptor, however the process ends. A
   lock of the terminal's file itself (flock(2)) is not possible where that belongs to another user. */
#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

/* The file system on which the terminal is: containers have terminals of the same numbers, and may share the
   network namespace and so the names. 0: not known. */
static unsigned long long file_system_of(int descriptor, dev_t terminal) {
  struct stat found;
  if (fstat(descriptor, &found) == 0 && found.st_rdev == terminal) return found.st_dev;
  /* /dev/tty */
  char path[64];
  snprintf(path, sizeof path, "/dev/pts/%u", minor(terminal));
  if (stat(path, &found) == 0 && found.st_rdev == terminal) return found.st_dev;
  return 0;
}

int perfhud_lock_terminal(int descriptor) {
  unsigned number;
  if (ioctl(descriptor, TIOCGDEV, &number) != 0) return -1;
  /* The kernel's new_encode_dev. */
  dev_t terminal = makedev(number >> 8 & 0xfff, (number & 0xff) | (number >> 12 & 0xfff00));
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "perfhud-terminal/%llx/%x",
                        file_system_of(descriptor, terminal), number);
  int lock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (lock < 0) return -1;
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
  if (bind(lock, (struct sockaddr *)&address, size) == 0) return lock;
  int error = errno;
  close(lock);
  errno = error;
  return -1;
}
