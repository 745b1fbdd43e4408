/* Gives every key back, in raw mode.

   echo SOCKET plain|covered|scroll

   plain    the key at the top left; the cursor steps back onto it
   covered  the same at the top right, where the HUD lies
   scroll   the key at the beginning of the last line, then a new line, so that the screen scrolls

   SOCKET belongs to terminal.c: the program says there that it is ready, and stays until the other
   side closes. */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

int main(int argc, char **argv) {
  const char *place = argc == 3 ? argv[2] : "";
  struct termios modes;
  struct winsize size;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (!strstr(" plain covered scroll", place) || argc != 3) {
    fprintf(stderr, "usage: echo SOCKET plain|covered|scroll\n");
    return 64;
  }
  if (tcgetattr(STDIN_FILENO, &modes) != 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
    perror("echo: no terminal");
    return 1;
  }
  cfmakeraw(&modes);
  tcsetattr(STDIN_FILENO, TCSANOW, &modes);
  strncpy(address.sun_path, argv[1], sizeof address.sun_path - 1);
  int control = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(control, (struct sockaddr *)&address, sizeof address) != 0) {
    perror(argv[1]);
    return 1;
  }
  const char *behind = "\b";
  int row = 1, column = 1;
  if (strcmp(place, "covered") == 0) {
    row = 4;
    column = size.ws_col > 20 ? size.ws_col - 20 : 1;
  }
  if (strcmp(place, "scroll") == 0) {
    behind = "\r\n";
    row = size.ws_row;
  }
  dprintf(STDOUT_FILENO, "\033[H\033[2J\033[%d;%dH", row, column);
  char word = 'r';
  if (write(control, &word, 1) != 1) return 1;
  for (;;) {
    struct pollfd entries[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                               {.fd = control, .events = POLLIN}};
    if (poll(entries, 2, -1) < 0) continue;
    if (entries[0].revents) {
      char keys[256], echo[3 * sizeof keys];
      ssize_t count = read(STDIN_FILENO, keys, sizeof keys);
      size_t length = 0;
      if (count <= 0) return 1;
      for (ssize_t i = 0; i < count; i++) {
        echo[length++] = keys[i];
        for (const char *next = behind; *next; next++) echo[length++] = *next;
      }
      if (write(STDOUT_FILENO, echo, length) != (ssize_t)length) return 1;
    }
    if (entries[1].revents && read(control, &word, 1) <= 0) return 0;
  }
}
