/* Forks after it has spoken, now and then while a thread is speaking: `fork COUNT` sends so many actions
   `before`, as many `child` from each of four children, and `after`. */
#define _GNU_SOURCE
#define PERFHUD_IMPLEMENTATION
#include "../../clients/perfhud.h"
#include <pthread.h>
#include <sys/wait.h>

enum { children = 4 };
static volatile int is_done;

static void send_all(const char *name, long count) {
  for (long index = 0; index < count; index++) perfhud_action(name);
  for (int round = 0; round < 5000 && !perfhud_flush(); round++) usleep(1000);
}

static void *speak(void *unused) {
  while (!is_done) perfhud_frame();
  return unused;
}

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 100;
  pthread_t thread;
  for (long index = 0; index < count; index++) perfhud_action("before");
  if (pthread_create(&thread, NULL, speak, NULL) != 0) return 1;
  for (int child = 0; child < children; child++) {
    pid_t pid = fork();
    if (pid < 0) return 1;
    if (pid == 0) {
      alarm(60); /* it dies if it hangs */
      send_all("child", count);
      _exit(0);
    }
    int status;
    if (waitpid(pid, &status, 0) != pid || status != 0) return 2;
  }
  is_done = 1;
  pthread_join(thread, NULL);
  send_all("after", count);
  return 0;
}
