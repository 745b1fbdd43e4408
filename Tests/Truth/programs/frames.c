// Draws frames at a steady rate, answers keys, and logs when it did so.
//
//   frames LOG SECONDS FPS [--sync] [--bytes N] [--writes N] [--jitter MS] [--pause MS]
//          [--animation box|counter|ball|none] [--answer MS]
//
// The log has a line for each event, with the seconds of CLOCK_REALTIME:
//   F TIME             a frame was written; the time is that of the end of its last write
//   A KEY ANSWER       a key was read, and its answer was written
//   L MILLISECONDS     at the end: the longest time by which the program woke up late
#define _GNU_SOURCE
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static char buffer[1 << 20];
static int length;
static double latest;

static void put(const char *text) {
  int n = strlen(text);
  memcpy(buffer + length, text, n);
  length += n;
}

static void place(int row, int column) {
  char text[32];
  snprintf(text, sizeof text, "\033[%d;%dH", row, column);
  put(text);
}

static void write_all(int from, int to) {
  while (from < to) {
    int n = write(1, buffer + from, to - from);
    if (n > 0) from += n;
    else if (n < 0) { struct pollfd p = {1, POLLOUT, 0}; poll(&p, 1, -1); }
  }
}

// Waits until a time of the monotonic clock, or for a key; returns whether there is one.
static int wait_until(double due, int wants_key) {
  for (;;) {
    double left = due - now(CLOCK_MONOTONIC);
    if (left <= 0) {
      if (-left * 1e3 > latest) latest = -left * 1e3;
      return 0;
    }
    struct timespec t = {(time_t)left, (long)((left - (time_t)left) * 1e9)};
    struct pollfd p = {0, POLLIN, 0};
    if (ppoll(&p, wants_key ? 1 : 0, &t, NULL) > 0) return 1;
  }
}

int main(int count, char **word) {
  int sync = 0, bytes = 0, writes = 1;
  double jitter = 0, pause_ms = 0, answer_ms = -1;
  const char *animation = "box";
  FILE *log = fopen(word[1], "w");
  double seconds = atof(word[2]), fps = atof(word[3]);
  for (int i = 4; i < count; i++) {
    if (!strcmp(word[i], "--sync")) sync = 1;
    else if (!strcmp(word[i], "--bytes")) bytes = atoi(word[++i]);
    else if (!strcmp(word[i], "--writes")) writes = atoi(word[++i]);
    else if (!strcmp(word[i], "--jitter")) jitter = atof(word[++i]);
    else if (!strcmp(word[i], "--pause")) pause_ms = atof(word[++i]);
    else if (!strcmp(word[i], "--animation")) animation = word[++i];
    else if (!strcmp(word[i], "--answer")) answer_ms = atof(word[++i]);
  }
  struct termios modes;
  tcgetattr(0, &modes);
  cfmakeraw(&modes);
  tcsetattr(0, TCSANOW, &modes);
  struct winsize size = {30, 100, 0, 0};
  ioctl(1, TIOCGWINSZ, &size);
  int rows = size.ws_row > 12 ? size.ws_row : 30, columns = size.ws_col > 60 ? size.ws_col : 100;
  put("\033[?1049h\033[2J\033[?25l");
  write_all(0, length);

  srand(7);
  double start = now(CLOCK_MONOTONIC), key = 0, key_read = 0;
  int answers = 0;
  long frame = 0;
  double due = start;
  while (due < start + seconds) {
    double wanted = due + (jitter ? jitter * 1e-3 * (2.0 * rand() / RAND_MAX - 1) : 0);
    // Answers that are due before the next frame, and keys.
    for (;;) {
      int has_answer = key > 0 && key + answer_ms * 1e-3 < wanted;
      double until = has_answer ? key + answer_ms * 1e-3 : wanted;
      int wants_key = answer_ms >= 0 && key == 0;
      if (wait_until(until, wants_key)) {
        char typed[64];
        if (read(0, typed, sizeof typed) <= 0) break;
        key = now(CLOCK_MONOTONIC);
        key_read = now(CLOCK_REALTIME);
        continue;
      }
      if (!has_answer) break;
      length = 0;
      if (sync) put("\033[?2026h");
      place(rows - 2, 4 + 4 * (answers % 12));
      put(answers % 24 < 12 ? "key" : "   ");
      answers++;
      if (sync) put("\033[?2026l");
      write_all(0, length);
      fprintf(log, "A %.6f %.6f\n", key_read, now(CLOCK_REALTIME));
      key = 0;
    }
    length = 0;
    if (sync) put("\033[?2026h");
    char text[64];
    if (!strcmp(animation, "box") || bytes > 0) {
      int wanted_bytes = bytes > 0 ? bytes : 600;
      for (int row = 0; length < wanted_bytes; row = (row + 1) % 8) {
        place(3 + row, 3);
        for (int i = 0; i < 50; i++) buffer[length++] = 'a' + (frame + i + row) % 26;
      }
    }
    if (!strcmp(animation, "counter")) {
      place(3, 3);
      snprintf(text, sizeof text, "frame %ld", frame);
      put(text);
    }
    if (!strcmp(animation, "ball")) {
      int span = columns / 2;
      int at = frame % (2 * span), was = (frame + 2 * span - 1) % (2 * span);
      place(6 + (was < span ? was : 2 * span - was) % 9, 3 + (was < span ? was : 2 * span - was));
      put(" ");
      place(6 + (at < span ? at : 2 * span - at) % 9, 3 + (at < span ? at : 2 * span - at));
      put("o");
    }
    int end = length;
    if (pause_ms > 0) {
      write_all(0, end / 2);
      wait_until(now(CLOCK_MONOTONIC) + pause_ms * 1e-3, 0);
      if (sync) put("\033[?2026l");
      write_all(end / 2, length);
    } else {
      if (sync) put("\033[?2026l");
      for (int i = 0; i < writes; i++)
        write_all((long)length * i / writes, (long)length * (i + 1) / writes);
    }
    fprintf(log, "F %.6f\n", now(CLOCK_REALTIME));
    frame++;
    due += 1 / fps;
  }
  length = 0;
  put("\033[?25h\033[?1049l");
  write_all(0, length);
  fprintf(log, "L %.3f\n", latest);
  fclose(log);
  return 0;
}
