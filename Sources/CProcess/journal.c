/* The engine's side of the journal: see include/journal.h. */
#define _GNU_SOURCE
#include "journal_memory.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* With a millisecond after each attempt; after that, sending is given up. */
enum { MOST_ATTEMPTS = 100 };

static struct journal *journal;
static int supervisor_socket = -1;

struct journal *perfhud_make_journal(void) {
  void *memory =
      mmap(NULL, sizeof(struct journal), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void perfhud_forget_journal(struct journal *memory) {
  int error = errno;
  munmap(memory, sizeof(struct journal));
  errno = error;
}

/* ------------------------------------------------------------------------------- counted calls */

#ifdef __x86_64__
extern const char perfhud_call_returned[], perfhud_call_stored[];

/* Between the two labels the result is in rax. So the supervisor can read it from the registers if this process is
   killed there or within the call. */
__attribute__((noinline)) static long counted_call(struct call *call, long number, int descriptor,
                                                   const void *bytes, size_t count) {
  long result;
  __asm__ volatile("syscall\n"
                   ".globl perfhud_call_returned\n"
                   "perfhud_call_returned:\n"
                   "movq %%rax, %[result]\n"
                   "movl $1, %[done]\n"
                   ".globl perfhud_call_stored\n"
                   "perfhud_call_stored:\n"
                   : "=a"(result), [result] "=m"(call->result), [done] "=m"(call->is_done)
                   : "a"(number), "D"((long)descriptor), "S"(bytes), "d"(count)
                   : "rcx", "r11", "memory");
  return result;
}
#else
static const char perfhud_call_returned[1], perfhud_call_stored[1];

/* On other processors, a call that was interrupted by death counts as not made. */
static long counted_call(struct call *call, long number, int descriptor, const void *bytes,
                         size_t count) {
  long result = syscall(number, descriptor, bytes, count);
  call->result = result < 0 ? -errno : result;
  call->is_done = 1;
  return call->result;
}
#endif

static ssize_t count_call(uint32_t kind, long number, int descriptor, const void *bytes, size_t count) {
  struct call *call = &journal->call;
  call->base = journal->totals[kind];
  call->is_done = 0;
  call->kind = kind;
  long result = counted_call(call, number, descriptor, bytes, count);
  if (result > 0) journal->totals[kind] = call->base + (uint64_t)result;
  call->kind = NO_CALL;
  if (result >= 0) return result;
  errno = (int)-result;
  return -1;
}

static int is_within(const void *bytes, const uint8_t *memory, size_t size) {
  return (const uint8_t *)bytes >= memory && (const uint8_t *)bytes < memory + size;
}

ssize_t perfhud_journal_read(int descriptor, void *to, size_t count) {
  if (journal == NULL || !is_within(to, journal->buffer, sizeof journal->buffer))
    return read(descriptor, to, count);
  return count_call(A_READ, SYS_read, descriptor, to, count);
}

ssize_t perfhud_journal_write(int descriptor, const void *from, size_t count) {
  if (journal == NULL || !is_within(from, journal->queue, sizeof journal->queue))
    return write(descriptor, from, count);
  return count_call(A_WRITE, SYS_write, descriptor, from, count);
}

/* ------------------------------------------------------------------------------- checkpoints */

void perfhud_checkpoint(uint64_t written, uint64_t queue_end, const uint8_t *tail, size_t count,
                        const uint8_t *next, uint32_t flags) {
  if (journal == NULL || !is_within(next, journal->buffer, sizeof journal->buffer)) return;
  unsigned current = atomic_load_explicit(&journal->current, memory_order_relaxed);
  const struct checkpoint *last = &journal->checkpoints[current];
  struct checkpoint *made = &journal->checkpoints[current ^ 1];
  uint64_t read = journal->totals[A_READ];
  uint32_t next_place = (uint32_t)(next - journal->buffer);
  /* The queue starts again at position 0 once all of it has been written; this leaves the sum unchanged. */
  if (last->written + last->queue_end == written + queue_end && last->read == read &&
      last->next == next_place && last->count == count && last->flags == flags &&
      (count == 0 || last->place == IN_TAIL) && last->has_state == (uint32_t)journal->may_restart)
    return;
  made->written = written;
  made->queue_end = queue_end;
  made->read = read;
  made->next = next_place;
  made->count = (uint32_t)count;
  made->flags = flags;
  made->has_state = (uint32_t)journal->may_restart; /* the caller writes the state through perfhud_checkpoint_state */
  if (count <= sizeof made->tail) {
    made->place = IN_TAIL;
    if (count > 0) memcpy(made->tail, tail, count);
  } else if (tail < next && tail + count > next) {
    /* The bytes are about to be moved to a place that overlaps their own. */
    made->place = IN_SPILL;
    made->start = 0;
    memcpy(journal->spill, tail, count);
  } else {
    made->place = IN_BUFFER;
    made->start = (uint32_t)(tail - journal->buffer);
  }
  journal->sequence++;
  /* The checkpoint takes effect here. Only the death of this process can interrupt it, so no barrier is needed. */
  atomic_store_explicit(&journal->current, current ^ 1, memory_order_release);
}

void *perfhud_checkpoint_state(void) {
  if (journal == NULL || !journal->may_restart) return NULL;
  return journal->checkpoints[atomic_load_explicit(&journal->current, memory_order_relaxed) ^ 1].state;
}

int perfhud_wants_erase(void) {
  return journal != NULL && journal->erase_sequence != journal->sequence;
}

void perfhud_set_erase(const uint8_t *bytes, size_t count) {
  if (journal == NULL) return;
  journal->erase_sequence = 0;
  atomic_signal_fence(memory_order_seq_cst);
  if (count > sizeof journal->erase) count = 0;
  if (count > 0) memcpy(journal->erase, bytes, count);
  journal->erase_count = count;
  atomic_signal_fence(memory_order_seq_cst);
  journal->erase_sequence = journal->sequence;
}

/* ------------------------------------------------------------------------------- the rest */

void perfhud_become_engine(struct journal *memory, int socket) {
  journal = memory;
  supervisor_socket = socket;
  journal->call_returned = (uint64_t)(uintptr_t)perfhud_call_returned;
  journal->call_stored = (uint64_t)(uintptr_t)perfhud_call_stored;
  journal->checkpoints[0].flags |= PERFHUD_AT_GROUND;
  journal->sequence = 1;
}

struct journal *perfhud_journal(void) { return journal; }

/* Whether to try again to send what could not be sent: the kernel may have memory for it a moment later. If it is never
   sent, the program does not outlive this process. */
static int may_send_again(int *attempts) {
  if (errno == EINTR) return 1;
  if ((errno != EAGAIN && errno != ENOBUFS && errno != ENOMEM) || ++*attempts > MOST_ATTEMPTS) return 0;
  poll(NULL, 0, 1);
  return 1;
}

void perfhud_tell_supervisor(uint8_t what) {
  int attempts = 0;
  if (supervisor_socket < 0) return;
  while (send(supervisor_socket, &what, 1, MSG_NOSIGNAL) < 0 && may_send_again(&attempts)) {
  }
}

void perfhud_confirm_engine(void) { perfhud_tell_supervisor(CONFIRM); }

int perfhud_await_tasks(void) {
  int error;
  /* The supervisor has begun this long before. */
  while ((error = atomic_load(&journal->tasks_error)) < 0) sched_yield();
  errno = error;
  return error == 0 ? 0 : -1;
}

_Noreturn void perfhud_end_for_front(void) {
  journal->has_given_back = 1;
  _exit(0);
}

int perfhud_is_supervised(void) { return journal != NULL; }
pid_t perfhud_front_process(void) { return journal != NULL ? journal->supervisor : getpid(); }
int perfhud_supervisor_socket(void) { return supervisor_socket; }
uint8_t *perfhud_journal_buffer(void) { return journal != NULL ? journal->buffer : NULL; }
uint8_t *perfhud_journal_queue(void) { return journal != NULL ? journal->queue : NULL; }
void *perfhud_journal_report(void) { return journal != NULL ? &journal->report : NULL; }

void perfhud_show_life(void) {
  if (journal != NULL) atomic_fetch_add_explicit(&journal->life, 1, memory_order_relaxed);
}

int perfhud_next_passed_signal(void) {
  uint8_t said;
  while (supervisor_socket >= 0) {
    ssize_t count = recv(supervisor_socket, &said, 1, MSG_DONTWAIT);
    if (count < 0) return 0;
    if (count == 0) {
      /* The supervisor has ended, and the job is no longer in the foreground. The socket stays open, since it may be in
         a poll set. */
      supervisor_socket = -1;
      return SIGHUP;
    }
    /* The loop has woken up, which itself is the sign of life. */
    if (said != PERFHUD_ARE_YOU_ALIVE) return said;
  }
  return 0;
}

void perfhud_set_restore_modes(int is_input, const struct termios *modes) {
  if (journal == NULL) return;
  journal->modes[is_input != 0] = *modes;
  journal->has_modes[is_input != 0] = 1;
}

void perfhud_hand_over(char kind, int first, int second) {
  if (journal == NULL || supervisor_socket < 0) return;
  int descriptors[2] = {first, second};
  char control[CMSG_SPACE(sizeof descriptors)] = {0};
  char byte = kind;
  struct iovec data = {.iov_base = &byte, .iov_len = 1};
  struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptors);
  memcpy(CMSG_DATA(header), descriptors, sizeof descriptors);
  int attempts = 0;
  while (sendmsg(supervisor_socket, &message, MSG_NOSIGNAL) < 0 && may_send_again(&attempts)) {
  }
}

void perfhud_hand_over_terminal(int output, int input) { perfhud_hand_over(THE_TERMINAL, output, input); }
void perfhud_hand_over_pty(int master, int reports) { perfhud_hand_over(THE_PTY, master, reports); }

void perfhud_release_holder(void) {
  if (journal == NULL) return;
  /* If there is no memory for the message, the supervisor sees this a second later. */
  journal->has_released = 1;
  perfhud_tell_supervisor(RELEASE_HOLDER);
}

void perfhud_end_engine(const char *reason) {
  if (journal == NULL) return;
  strncpy(journal->reason, reason, sizeof journal->reason - 1);
  atomic_signal_fence(memory_order_seq_cst);
  journal->has_given_up = 1;
  _exit(1);
}

void perfhud_set_command(pid_t command) {
  if (journal != NULL) journal->command = command;
}

void perfhud_set_job_stopped(int is_stopped) {
  if (journal == NULL) return;
  journal->is_job_stopped = is_stopped;
  if (is_stopped) return;
  /* The command may not have been reported as continued yet. */
  if (journal->report.kind == PERFHUD_PTY_STOPPED) journal->report.kind = PERFHUD_PTY_CONTINUED;
}

void perfhud_expect_budgets(int status) {
  if (journal == NULL) return;
  journal->has_budgets = 1;
  journal->unjudged_status = status;
}

void perfhud_set_end(int status, int signal) {
  if (journal == NULL) return;
  journal->end_status = status;
  journal->end_signal = signal;
  atomic_signal_fence(memory_order_seq_cst);
  journal->has_end = 1;
}
