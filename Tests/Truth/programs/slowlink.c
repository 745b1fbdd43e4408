/* A terminal at the far end of a slow link: what passes is late in both directions.

   slowlink SECONDS all|da1|none COMMAND [ARGUMENT ...]

   SECONDS is a whole round trip. With `da1` the terminal answers DA1 and no other question of perfhud, with
   `none` it answers nothing: the questions never reach it. Standard input and output must be a terminal. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

struct piece {
  struct piece *next;
  double due;
  size_t length;
  char bytes[];
};

/* One direction: what was read and is not due yet. */
struct way {
  int from, to;
  struct piece *first, **last;
  size_t waiting;
};

static double delay;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Takes the questions that the terminal does not understand out of the output. */
static size_t without(char *bytes, size_t length, const char *question) {
  size_t size = strlen(question);
  char *found;
  while (length >= size && (found = memmem(bytes, length, question, size)) != NULL) {
    memmove(found, found + size, length - (size_t)(found - bytes) - size);
    length -= size;
  }
  return length;
}

static int take(struct way *way, const char *answers) {
  static char bytes[1 << 16];
  ssize_t count = read(way->from, bytes, sizeof bytes);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count == 0) return 0;
  size_t length = (size_t)count;
  if (answers != NULL && strcmp(answers, "all") != 0) {
    length = without(bytes, length, "\033[6n");
    length = without(bytes, length, "\033[>q");
    length = without(bytes, length, "\033[?2026$p");
    length = without(bytes, length, "\033[?69$p");
    if (strcmp(answers, "none") == 0) length = without(bytes, length, "\033[c");
  }
  if (length == 0) return 1;
  struct piece *piece = malloc(sizeof *piece + length);
  if (piece == NULL) return 0;
  piece->next = NULL;
  piece->due = now() + delay;
  piece->length = length;
  memcpy(piece->bytes, bytes, length);
  *way->last = piece;
  way->last = &piece->next;
  way->waiting += length;
  return 1;
}

static int give(struct way *way) {
  while (way->first != NULL && way->first->due <= now()) {
    struct piece *piece = way->first;
    size_t done = 0;
    while (done < piece->length) {
      ssize_t count = write(way->to, piece->bytes + done, piece->length - done);
      if (count < 0 && errno != EINTR) return 0;
      if (count > 0) done += (size_t)count;
    }
    way->first = piece->next;
    if (way->first == NULL) way->last = &way->first;
    way->waiting -= piece->length;
    free(piece);
  }
  return 1;
}

static int left(const struct way *way) {
  if (way->first == NULL) return -1;
  double seconds = way->first->due - now();
  return seconds <= 0 ? 0 : (int)(seconds * 1000) + 1;
}

int main(int argc, char **argv) {
  struct termios modes, raw;
  struct winsize size;
  if (argc < 4) {
    fprintf(stderr, "usage: slowlink SECONDS all|da1|none COMMAND [ARGUMENT ...]\n");
    return 64;
  }
  delay = atof(argv[1]) / 2;
  if (tcgetattr(STDIN_FILENO, &modes) != 0 || ioctl(STDIN_FILENO, TIOCGWINSZ, &size) != 0) {
    perror("slowlink: standard input");
    return 125;
  }
  int master;
  pid_t child = forkpty(&master, NULL, &modes, &size);
  if (child < 0) {
    perror("slowlink: forkpty");
    return 125;
  }
  if (child == 0) {
    execvp(argv[3], argv + 3);
    perror(argv[3]);
    _exit(127);
  }
  raw = modes;
  cfmakeraw(&raw);
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  struct way out = {.from = master, .to = STDOUT_FILENO}, in = {.from = STDIN_FILENO, .to = master};
  out.last = &out.first;
  in.last = &in.first;
  int is_open = 1;
  while (is_open || out.first != NULL) {
    struct pollfd entries[] = {
        {.fd = STDIN_FILENO, .events = POLLIN},
        {.fd = is_open && out.waiting < 1 << 22 ? master : -1, .events = POLLIN}};
    int wait = left(&out), other = left(&in);
    if (wait < 0 || (other >= 0 && other < wait)) wait = other;
    if (poll(entries, 2, wait) < 0 && errno != EINTR) break;
    if (entries[0].revents && !take(&in, NULL)) break;
    if (entries[1].revents && !take(&out, argv[2])) is_open = 0;
    if (!give(&out)) break;
    if (is_open && !give(&in)) is_open = 0;
  }
  tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
