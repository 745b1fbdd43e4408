/* What an event costs a C program: `sender COUNT` prints ns of CPU for each action of a burst; `sender
   COUNT paced` for each of actions that come alone, every 150 us, less what the waiting costs; `phases` and
   `paced-phases` the same of phases, which carry the memory of the program; `sender SECONDS flood` says all that it can of actions with and without end of names, frames and values, and
   prints how many numbers it has given on standard error. */
#define _GNU_SOURCE
#define PERFHUD_IMPLEMENTATION
#include "../../clients/perfhud.h"
#include <time.h>

static double cpu(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

enum { nothing, actions, phases };

static double loop(long count, int pause, int sends) {
  double before = cpu();
  for (long index = 0; index < count; index++) {
    if (pause) usleep(150);
    if (sends == actions) perfhud_action("pen.move");
    if (sends == phases) perfhud_phase(index % 2 ? "gallery" : "canvas", NULL, NULL);
  }
  return cpu() - before;
}

static int flood(double seconds) {
  double end = (double)perfhud_now() + seconds * 1e6;
  char name[32];
  for (unsigned long round = 0; (double)perfhud_now() < end; round++) {
    snprintf(name, sizeof name, "name-%lu", round);
    perfhud_action("pen.move");
    perfhud_action_with(name, 1, "with a detail");
    perfhud_frame();
    perfhud_value("round", (double)round, NULL);
  }
  /* Behind a line that has arrived every gap can be seen. */
  perfhud_toast("end");
  for (int round = 0; round < 5000 && !perfhud_flush(); round++) usleep(1000);
  fprintf(stderr, "sent %llu\n", perfhud_state.sequence);
  return 0;
}

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 100000;
  if (argc > 2 && !strcmp(argv[2], "flood")) return flood(atof(argv[1]));
  int sends = argc > 2 && strstr(argv[2], "phases") ? phases : actions;
  int is_paced = argc > 2 && strstr(argv[2], "paced");
  perfhud_action("warm-up");
  double waiting = is_paced ? loop(count, 1, nothing) : 0;
  double all = loop(count, is_paced, sends);
  printf("%f %s\n", (all - waiting) / (double)count,
         perfhud_state.descriptor > 0 ? "heard" : "not heard");
  for (int round = 0; round < 1000 && !perfhud_flush(); round++) usleep(1000);
  return 0;
}
