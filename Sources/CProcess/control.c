#define _GNU_SOURCE
#include "CProcess.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int perfhud_process_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int perfhud_rename_to_free(const char *from, const char *to) {
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

int perfhud_process_signal(int process, int number) {
  return (int)syscall(SYS_pidfd_send_signal, process, number, 0, 0);
}
