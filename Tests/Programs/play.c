/* Writes the steps of a script to its terminal, one for each ^F that is typed.
 *
 *     play SCRIPT DONE [fast]
 *
 * SCRIPT holds records: "w COUNT\n" and so many bytes, which one write(2) writes; "p MICROSECONDS\n",
 * a pause, which `fast` leaves out; "k\n", the end of a step. After each step a byte is appended to the
 * file DONE. The terminal is raw, so that what is written arrives as it is. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static struct termios saved;

static void restore(void) { tcsetattr(0, TCSANOW, &saved); }

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void writeAll(const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t written = write(1, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write");
    bytes += written;
    count -= (size_t)written;
  }
}

/* Answers of the terminal come in between; none of them holds a ^F. */
static void waitForKey(void) {
  char key = 0;
  while (key != 'F' - '@') {
    ssize_t count = read(0, &key, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) exit(0);
  }
}

static void pauseFor(long microseconds) {
  struct timespec rest = {microseconds / 1000000, microseconds % 1000000 * 1000};
  while (nanosleep(&rest, &rest) < 0 && errno == EINTR) {
  }
}

int main(int argc, char **argv) {
  if (argc < 3) return 64;
  int fast = argc > 3 && strcmp(argv[3], "fast") == 0;
  FILE *script = fopen(argv[1], "r");
  int done = open(argv[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (!script || done < 0) fail("open");
  if (tcgetattr(0, &saved) < 0) fail("tcgetattr");
  struct termios raw = saved;
  cfmakeraw(&raw);
  tcsetattr(0, TCSANOW, &raw);
  atexit(restore);

  char line[64];
  waitForKey();
  while (fgets(line, sizeof line, script)) {
    long number = atol(line + 1);
    if (line[0] == 'w') {
      char *bytes = malloc((size_t)number + 1);
      if (!bytes || fread(bytes, 1, (size_t)number, script) != (size_t)number) fail("fread");
      writeAll(bytes, (size_t)number);
      free(bytes);
    } else if (line[0] == 'p') {
      if (!fast) pauseFor(number);
    } else {
      if (write(done, ".", 1) != 1) fail("write");
      waitForKey();
    }
  }
  return 0;
}
