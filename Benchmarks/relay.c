/* The limit for an overlay: a pty between the terminal and a program, and nothing else.

   relay COMMAND [ARGUMENT ...]

   It copies both ways, never blocks in a read or a write, knows nothing of what it copies, and ends
   with the status of the command. Standard input and output must be a terminal. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* One way. What was read waits here until all of it has been taken. */
struct way {
  int from, to;
  size_t start, end;
  char bytes[1 << 16];
};

static struct way out, in;

static int is_later(void) { return errno == EAGAIN || errno == EINTR; }

/* Reads once: the kernel hands out at most 4 kB of a pty at once, and to ask again until nothing is
   left was measured to cost no less. Returns 0 when the other side has gone. */
static int fill(struct way *way) {
  ssize_t count = read(way->from, way->bytes, sizeof way->bytes);
  if (count > 0) way->end = (size_t)count;
  return count > 0 || (count < 0 && is_later());
}

static int empty(struct way *way) {
  while (way->start < way->end) {
    ssize_t count = write(way->to, way->bytes + way->start, way->end - way->start);
    if (count < 0) return is_later();
    way->start += (size_t)count;
  }
  way->start = way->end = 0;
  return 1;
}

static void unblock(int descriptor) {
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

int main(int argc, char **argv) {
  struct termios modes, raw;
  struct winsize size;
  if (argc < 2) {
    fprintf(stderr, "usage: relay COMMAND [ARGUMENT ...]\n");
    return 64;
  }
  if (tcgetattr(STDIN_FILENO, &modes) != 0 || ioctl(STDIN_FILENO, TIOCGWINSZ, &size) != 0) {
    perror("relay: standard input");
    return 125;
  }
  int master;
  pid_t child = forkpty(&master, NULL, &modes, &size);
  if (child < 0) {
    perror("relay: forkpty");
    return 125;
  }
  if (child == 0) {
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    _exit(127);
  }
  raw = modes;
  cfmakeraw(&raw);
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  unblock(STDIN_FILENO);
  unblock(STDOUT_FILENO);
  unblock(master);
  out.from = in.to = master;
  out.to = STDOUT_FILENO;
  in.from = STDIN_FILENO;
  for (;;) {
    struct pollfd entries[] = {
        {.fd = out.end ? STDOUT_FILENO : -1, .events = POLLOUT},
        {.fd = in.end ? -1 : STDIN_FILENO, .events = POLLIN},
        {.fd = master, .events = (short)((out.end ? 0 : POLLIN) | (in.end ? POLLOUT : 0))}};
    if (poll(entries, 3, -1) < 0 && errno != EINTR) break;
    if (in.end == 0 && entries[1].revents && !fill(&in)) break;
    if (in.end && !empty(&in)) break;
    int isOpen = 1;
    if (out.end == 0 && entries[2].revents) isOpen = fill(&out);
    if (out.end && !empty(&out)) break;
    if (!isOpen && out.end == 0) break;
  }
  tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
