#ifndef PERFHUD_JOURNAL_H
#define PERFHUD_JOURNAL_H
/* journal.c: what the supervisor needs to continue after the engine has died.

   The engine reads the program's output into memory that it shares with the supervisor; its output queue is in this
   memory too. A checkpoint says: the queue is complete up to here and includes these bytes of the program; those bytes
   are not in it yet. So whenever the engine dies, no byte of the program is lost or doubled: the supervisor writes the
   rest of the queue, then the bytes that were not in it yet, then everything that comes later. */
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

#define PERFHUD_JOURNAL_BUFFER (1u << 20)
/* Address space. Only pages that were written to take memory. */
#define PERFHUD_JOURNAL_QUEUE (16u << 20)
#define PERFHUD_JOURNAL_ERASE (64u << 10)
/* The last bytes of the program's output that are not in the queue yet are copied if there are no more than this. */
#define PERFHUD_JOURNAL_TAIL 256

/* The maximum length of the reason why the engine gives up, with the final 0. */
#define PERFHUD_JOURNAL_REASON 256
/* The maximum size of the screen model's state at a checkpoint. */
#define PERFHUD_JOURNAL_STATE 1024

/* At a checkpoint: the terminal is not within a sequence or character, so other bytes may follow. */
#define PERFHUD_AT_GROUND 1
/* A synchronized update opened by the HUD is open. */
#define PERFHUD_UPDATE_OPEN 2
/* The program is on the alternate screen. */
#define PERFHUD_ALTERNATE 4

/* Whether this process is an engine with a supervisor. */
int perfhud_is_supervised(void);
/* The process that the user's shell waits for: the supervisor if there is one, else the caller. */
pid_t perfhud_front_process(void);
/* Readable when the supervisor has sent something; -1 without one. */
int perfhud_supervisor_socket(void);
/* The next signal that the supervisor passes on; 0 when there are no more. */
int perfhud_next_passed_signal(void);
/* Shows that the engine is alive. */
void perfhud_show_life(void);

#define PERFHUD_ARE_YOU_ALIVE 255

/* The shared memory for the program's output and for the queue; NULL without a supervisor. Each may be used once. */
uint8_t *_Nullable perfhud_journal_buffer(void);
uint8_t *_Nullable perfhud_journal_queue(void);
/* Where to read the holder's reports into, so that the last one outlives this process; or NULL. */
void *_Nullable perfhud_journal_report(void);

/* read(2) into the buffer and write(2) from the queue, counted so that the supervisor knows the number of bytes even if
   this process is killed during the call. Without a supervisor, or for other memory, these are the plain calls. */
ssize_t perfhud_journal_read(int descriptor, void *_Nonnull to, size_t count);
ssize_t perfhud_journal_write(int descriptor, const void *_Nonnull from, size_t count);

/* Makes a checkpoint, unless nothing has changed since the last one.

   `written` is the number of bytes that the terminal had taken when queue position 0 was filled; `queue_end` is the
   number of bytes in the queue; `tail` are the `count` bytes in the buffer that have been read but are not in the
   queue; `next` is where in the buffer later bytes will be put. */
void perfhud_checkpoint(uint64_t written, uint64_t queue_end, const uint8_t *_Nonnull tail, size_t count,
                        const uint8_t *_Nonnull next, uint32_t flags);
/* Whether the supervisor still needs the bytes that erase the HUD at the last checkpoint; and how to provide them. If
   there are more than PERFHUD_JOURNAL_ERASE, all are ignored. */
int perfhud_wants_erase(void);
void perfhud_set_erase(const uint8_t *_Nullable bytes, size_t count);

/* The terminal's modes before they were changed, which the supervisor restores. */
void perfhud_set_restore_modes(int is_input, const struct termios *_Nonnull modes);
/* Sends the supervisor copies of descriptors: those of the terminal, and those of the pty before a process is started
   there. */
void perfhud_hand_over_terminal(int output, int input);
void perfhud_hand_over_pty(int master, int reports);
void perfhud_set_command(pid_t command);
/* The job stops together with the command, as reported; or both continue. A supervisor that takes over does not stop
   the job again. */
void perfhud_set_job_stopped(int is_stopped);
/* Makes the supervisor close its copy of the reports, since the holder waits for that before it exits. */
void perfhud_release_holder(void);
/* Ends the engine: the supervisor prints the reason, and the program keeps running without a HUD. Returns only if there
   is no supervisor. */
void perfhud_end_engine(const char *_Nonnull reason);
/* If the engine dies, nobody judges the run's budgets: the supervisor says so, and ends with this status instead of 0. */
void perfhud_expect_budgets(int status);
/* How the supervisor must end: with a status, or by a signal. From now on there is nothing to rescue. */
void perfhud_set_end(int status, int signal);

/* restart.c: with --restart-hud a new engine follows one that died, and takes over the running command.

   Call perfhud_allow_restart before perfhud_supervise; without an early split it has no effect. After that,
   perfhud_checkpoint_state returns where to put the screen model's state for the next checkpoint, at most
   PERFHUD_JOURNAL_STATE bytes; otherwise NULL. */
void perfhud_allow_restart(void);
int perfhud_may_restart(void);
void *_Nullable perfhud_checkpoint_state(void);
/* The number of engines before this one. */
int perfhud_engines_before(void);
/* Whether an engine before this one died, and this one has not taken over yet. Until then it must not start a command
   or print anything. */
int perfhud_is_taking_over(void);
void perfhud_took_over(void);
/* The state of the terminal: the screen model's state at a checkpoint, and the output that the terminal was sent since.
   NULL if nothing is known. */
const void *_Nullable perfhud_checkpointed_state(void);
const uint8_t *_Nullable perfhud_output_since(size_t *_Nonnull count);
/* The terminal's modes before the first engine changed them: 0, or -1 if they are not known. */
int perfhud_first_modes(int is_input, struct termios *_Nonnull modes);
/* Sends the supervisor a copy of the event socket, so that it outlives this engine. */
void perfhud_hand_over_events(int socket, const char *_Nonnull path);
/* The event socket of the previous engine, and its path; -1 if there is none. The caller owns the descriptor. */
int perfhud_events_before(const char *_Nullable *_Nonnull path);

/* split.c: makes this process an engine with a supervisor. If it already became one before the runtime began, confirms
   that there will be a HUD over a command. Returns in the engine. Otherwise the calling process becomes the supervisor
   and does not return. Returns 0, or -1 and errno if the process was not split. There must be only one thread. */
int perfhud_supervise(void);
/* split.c: if this engine was split off before the runtime began and has not been confirmed, ends it: the original
   process then starts over, without a supervisor. Call it only while nothing has been changed or printed. */
void perfhud_abandon_split(void);
/* split.c: whether an engine before this process has given back. It has already printed the messages of the start. */
int perfhud_was_given_back(void);
/* split.c: whether the perfhud that PERFHUD names is still running. */
int perfhud_has_outer(void);
#endif
