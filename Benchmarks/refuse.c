/* Executes a command with a seccomp filter that all system calls pass. With `supervisor` it refuses the pair of sockets
   between perfhud's supervisor and its HUD, so that perfhud runs without a supervisor; with `nothing` the filter costs
   the same and refuses nothing. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **arguments) {
  if (count < 3) return 64;
  unsigned answer = strcmp(arguments[1], "supervisor") == 0 ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_ALLOW;
  struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socketpair, 0, 3),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, answer),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    perror("refuse: seccomp");
    return 1;
  }
  execvp(arguments[2], arguments + 2);
  perror(arguments[2]);
  return 127;
}
