#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int perfhud_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int perfhud_ppoll(struct pollfd *descriptors, unsigned count, int64_t timeout_nanoseconds) {
  struct timespec timeout = {.tv_sec = timeout_nanoseconds / 1000000000,
                             .tv_nsec = timeout_nanoseconds % 1000000000};
  return ppoll(descriptors, count, timeout_nanoseconds < 0 ? NULL : &timeout, NULL);
}

int perfhud_thread_set_name(const char *name) { return pthread_setname_np(pthread_self(), name); }

int perfhud_memfd_create(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

long perfhud_getdents64(int descriptor, void *buffer, size_t size) {
  return syscall(SYS_getdents64, descriptor, buffer, size);
}

int perfhud_address_space_limit(pid_t pid, uint64_t *limit) {
  struct rlimit found;
  if (prlimit(pid, RLIMIT_AS, NULL, &found) != 0) return -1;
  *limit = found.rlim_cur == RLIM_INFINITY ? UINT64_MAX : (uint64_t)found.rlim_cur;
  return 0;
}

int perfhud_terminal_device(int descriptor, uint32_t *device) {
  unsigned number;
  if (ioctl(descriptor, TIOCGDEV, &number) != 0) return -1;
  *device = number;
  return 0;
}
