#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

/* Whether a variable is among `given`, which take precedence. */
static int is_given(const char *variable, const char *const *given, int count) {
  for (int index = 0; index < count; index++) {
    const char *end = strchr(given[index], '=');
    size_t length = end ? (size_t)(end - given[index]) + 1 : 0;
    if (length > 0 && strncmp(variable, given[index], length) == 0) return 1;
  }
  return 0;
}

pid_t perfhud_run_detached(const char *command, const char *const *variables, int count) {
  size_t size = 0;
  while (environ && environ[size]) size++;
  char **all = calloc(size + (size_t)count + 1, sizeof *all);
  if (!all) {
    errno = ENOMEM;
    return -1;
  }
  size_t used = 0;
  for (size_t index = 0; index < size; index++) {
    if (!is_given(environ[index], variables, count)) all[used++] = environ[index];
  }
  for (int index = 0; index < count; index++) all[used++] = (char *)variables[index];

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  sigset_t none, all_signals;
  sigemptyset(&none);
  sigfillset(&all_signals);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all_signals);
  posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  char *words[] = {"sh", "-c", (char *)command, NULL};
  pid_t started = -1;
  int code = posix_spawn(&started, "/bin/sh", &actions, &attributes, words, all);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  free(all);
  if (code == 0) return started;
  errno = code;
  return -1;
}
