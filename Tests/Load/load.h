/* What the parts of the load share. */
#ifndef PERFHUD_LOAD_H
#define PERFHUD_LOAD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum { million = 1000000 };

extern const char usage[];

/* ---- main.c: helpers ------------------------------------------------------------------------- */

/* Writes one line about what is wrong and ends the process with the status. */
__attribute__((format(printf, 2, 3))) _Noreturn void fail(int status, const char *format, ...);
/* The time on a clock in nanoseconds. */
uint64_t now(clockid_t clock);
/* Sleeps until an instant on CLOCK_MONOTONIC; a signal ends it early. */
void sleep_until(uint64_t instant);
/* Writes one line past stdio's buffer, so that it is out at once and nothing is lost by exec. */
__attribute__((format(printf, 1, 2))) void answer(const char *format, ...);
/* Creates a thread with a small stack, so that thousands fit; false and errno if there is none. */
bool start_thread(pthread_t *thread, void *(*body)(void *), void *argument);
/* The value of an option, or the end of the process if it is none. */
double number(const char *text, const char *option, double least, double most);

/* ---- duty.c ---------------------------------------------------------------------------------- */

struct segment_log;

/* Spins until the thread has run for `busy`, or until `deadline`. Returns for how long it ran. */
uint64_t spin(uint64_t busy, uint64_t deadline, struct segment_log *log);
/* The load `duty`. Returns the exit status. */
int run_duty(int count, char **arguments);

/* ---- storm.c --------------------------------------------------------------------------------- */

/* The load `storm`. Returns the exit status. */
int run_storm(int count, char **arguments);

/* ---- serve.c --------------------------------------------------------------------------------- */

/* Reads one line, byte by byte: what follows it belongs to whoever reads next, also after exec.
   False at the end of the input; a line that is too long is cut. */
bool read_line(char *line, size_t size);
/* Starts or ends sleeping threads until there are `wanted`; false and errno if one cannot start. */
bool keep_sleepers(size_t wanted);
/* Forks a child that sleeps as long as this process lives; -1 and errno if there is none. */
pid_t fork_sleeping_child(void);
/* Removes the link through which `exec` executed this program, and its directory. */
void remove_link(char *link);
/* Carries out commands until the end of the input; `argument` is not null after `main-exit`. */
void *serve(void *argument);

#endif
