/* Threads that live for a moment: each sleeps twice, which is two voluntary switches, and ends.

   shortthreads THREADS_A_SECOND SECONDS */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static void rest(long nanoseconds) {
  struct timespec time = {.tv_sec = 0, .tv_nsec = nanoseconds};
  nanosleep(&time, NULL);
}

static void *live(void *unused) {
  rest(200000);
  rest(200000);
  return unused;
}

int main(int argc, char **argv) {
  if (argc != 3) return 64;
  long rate = atol(argv[1]), total = rate * atol(argv[2]);
  for (long number = 0; number < total; number++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, live, NULL) == 0) pthread_join(thread, NULL);
    rest(1000000000 / rate);
  }
  return 0;
}
