/* Only one perfhud at a time draws on a terminal: a second one would save the first one's raw modes as the modes to
   restore.

   The lock is a name in the abstract namespace of Unix sockets (unix(7)): it needs no world-writable directory, works
   across users (after su and sudo), and is released with the last descriptor, however the process ends. A lock on the
   terminal's file itself (flock(2)) is not possible if another user owns it. */
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

/* The file system of the terminal: terminals in different containers may have the same numbers, and the containers may
   share the network namespace and therefore the names. 0: unknown. */
static unsigned long long file_system_of(int descriptor, dev_t terminal) {
  struct stat found;
  if (fstat(descriptor, &found) == 0 && found.st_rdev == terminal) return found.st_dev;
  /* The descriptor is /dev/tty. */
  char path[64];
  snprintf(path, sizeof path, "/dev/pts/%u", minor(terminal));
  if (stat(path, &found) == 0 && found.st_rdev == terminal) return found.st_dev;
  return 0;
}

int perfhud_lock_terminal(int descriptor) {
  unsigned number;
  if (ioctl(descriptor, TIOCGDEV, &number) != 0) return -1;
  /* As the kernel's new_encode_dev packs it. */
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
