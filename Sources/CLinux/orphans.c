/* Orphaned descendants, which this process adopts as a subreaper. */
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/syscall.h>
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

/* Converts what waitid(2) reports to the status that wait4(2) would report. */
static int wait_status(const siginfo_t *info) {
  switch (info->si_code) {
  case CLD_EXITED: return (info->si_status & 0xFF) << 8;
  case CLD_DUMPED: return info->si_status | 0x80;
  default: return info->si_status;
  }
}

pid_t perfhud_find_ended_child(pid_t except, int *status, pid_t *session,
                               struct perfhud_child_usage *used) {
  siginfo_t info;
  struct rusage usage;
  long result;
  do {
    info.si_pid = 0;
    /* The system call also reports the usage (RUSAGE_BOTH, even with WNOWAIT); the C library's function does not. */
    result = syscall(SYS_waitid, P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT, &usage);
  } while (result != 0 && errno == EINTR);
  /* The caller's own child is the oldest of all, so it hides others only once it has ended itself. */
  if (result != 0 || info.si_pid == 0 || info.si_pid == except) return 0;
  /* A zombie still has its session. */
  *session = getsid(info.si_pid);
  *status = wait_status(&info);
  used->system_nanoseconds = nanoseconds(&usage.ru_stime);
  used->nanoseconds = nanoseconds(&usage.ru_utime) + used->system_nanoseconds;
  used->max_resident_bytes = (uint64_t)usage.ru_maxrss * 1024;
  return info.si_pid;
}

void perfhud_reap_child(pid_t child) {
  while (waitpid(child, NULL, WNOHANG) < 0 && errno == EINTR) {
  }
}
