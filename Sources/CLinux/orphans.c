/* Descendants whose parents have ended, taken over by this process. */
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int perfhud_become_subreaper(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

static uint64_t nanoseconds(const struct timeval *time) {
  return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

int perfhud_has_children(void) {
  siginfo_t info;
  int result;
  do {
    result = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

pid_t perfhud_reap_orphan(pid_t except, int *status, pid_t *session, uint64_t *used) {
  siginfo_t info;
  do {
    info.si_pid = 0;
  } while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == EINTR);
  /* The caller's own child is the oldest of all, so it hides others only once it has ended itself. */
  if (info.si_pid == 0 || info.si_pid == except) return 0;
  /* A zombie still has its session. */
  *session = getsid(info.si_pid);
  struct rusage usage;
  pid_t ended;
  do {
    ended = wait4(info.si_pid, status, WNOHANG, &usage);
  } while (ended < 0 && errno == EINTR);
  if (ended <= 0) return 0;
  *used = nanoseconds(&usage.ru_utime) + nanoseconds(&usage.ru_stime);
  return ended;
}
