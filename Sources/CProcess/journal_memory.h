/* The memory that the engine (journal.c) shares with the supervisor (supervisor.c). */
#ifndef PERFHUD_JOURNAL_MEMORY_H
#define PERFHUD_JOURNAL_MEMORY_H
#include "CProcess.h"

#include <stdatomic.h>

enum { IN_TAIL, IN_BUFFER, IN_SPILL };
/* The engine's messages to the supervisor; some carry two descriptors. */
enum { THE_TERMINAL = 1, THE_PTY, RELEASE_HOLDER, CONFIRM, THE_EVENTS, TOOK_OVER };
enum { NO_CALL, A_READ, A_WRITE };

struct checkpoint {
  uint64_t written;   /* bytes that the terminal had taken when queue position 0 was filled */
  uint64_t queue_end; /* the queue is complete up to here */
  uint64_t read;      /* bytes read so far; later ones are in the buffer from `next` on */
  uint32_t next;
  uint32_t place; /* of the bytes that are not in the queue: IN_TAIL, IN_BUFFER or IN_SPILL */
  uint32_t start;
  uint32_t count;
  uint32_t flags;
  uint8_t tail[PERFHUD_JOURNAL_TAIL];
  uint32_t has_state;
  _Alignas(16) uint8_t state[PERFHUD_JOURNAL_STATE]; /* the screen model's state */
};

/* A call whose result may never come back to the engine. */
struct call {
  volatile uint32_t kind;
  volatile uint32_t is_done;
  volatile int64_t result; /* valid once is_done */
  volatile uint64_t base;  /* the total before the call */
};

struct journal {
  int32_t supervisor;     /* the supervisor's PID */
  atomic_int tasks_error; /* 0 if the tasks that the engine needs can be started, else errno; below 0: not yet known */
  /* The addresses at which the engine's system call has returned, and at which its result has been stored. */
  uint64_t call_returned, call_stored;
  struct call call;
  volatile uint64_t totals[3]; /* by the kind of call */
  atomic_uint current;         /* index of the valid checkpoint */
  struct checkpoint checkpoints[2];
  volatile uint64_t sequence; /* number of the last checkpoint */
  volatile uint64_t erase_sequence;
  volatile uint64_t erase_count;
  atomic_uint life;
  struct perfhud_pty_report report;
  volatile int32_t command;
  volatile int32_t is_job_stopped; /* the job was stopped together with the command */
  struct termios modes[2]; /* of output and input */
  volatile int32_t has_modes[2];
  volatile int32_t has_end, end_status, end_signal;
  volatile int32_t has_budgets, unjudged_status;
  volatile int32_t has_released; /* the supervisor must close its copy of the holder's reports, see RELEASE_HOLDER */
  volatile int32_t has_given_up, has_given_back;
  char reason[PERFHUD_JOURNAL_REASON]; /* why the engine gives up; ends with 0 */
  /* For the next engine: restart.c. */
  volatile int32_t may_restart, has_taken_over;
  int32_t engines_before;
  char events_path[108]; /* path of the event socket; ends with 0 */
  int32_t has_last_state;
  _Alignas(16) uint8_t last_state[PERFHUD_JOURNAL_STATE];
  uint32_t passed_count;
  _Alignas(4096) uint8_t buffer[PERFHUD_JOURNAL_BUFFER];
  uint8_t spill[PERFHUD_JOURNAL_BUFFER];
  uint8_t erase[PERFHUD_JOURNAL_ERASE];
  uint8_t passed[PERFHUD_JOURNAL_BUFFER]; /* what the terminal was sent after `last_state` */
  _Alignas(4096) uint8_t queue[PERFHUD_JOURNAL_QUEUE];
};

/* Creates the memory, which a fork shares; NULL and errno on failure. */
struct journal *perfhud_make_journal(void);
void perfhud_forget_journal(struct journal *memory);
/* This process is the engine from now on. */
void perfhud_become_engine(struct journal *memory, int socket);
struct journal *perfhud_journal(void);
/* Sends the supervisor a message without descriptors. */
void perfhud_tell_supervisor(uint8_t what);
void perfhud_hand_over(char kind, int first, int second);
/* Tells the supervisor that there will be a HUD over a command. */
void perfhud_confirm_engine(void);
/* Whether the tasks that the engine needs can be started: 0, or -1 and errno. */
int perfhud_await_tasks(void);
/* Ends this process, so that the original process continues in its place. */
_Noreturn void perfhud_end_for_front(void);
#endif
