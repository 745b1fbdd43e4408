#ifndef PERFHUD_CNCURSES_SHIM_H
#define PERFHUD_CNCURSES_SHIM_H
/* What Swift cannot import from ncurses by itself: the wide API without -D flags, mutable globals, cast macros and
   variadic functions. Everything else has its ncurses name. */
#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#endif
/* Function-like macros become real functions, which Swift can call. */
#ifndef NCURSES_NOMACROS
#define NCURSES_NOMACROS 1
#endif
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <ncursesw/curses.h>
#include <ncursesw/term.h>
/* term.h defines these as macros; they are too common as names. */
#undef lines
#undef columns

static inline WINDOW *_Nullable nc_stdscr(void) { return stdscr; }
static inline int nc_colors(void) { return COLORS; }
static inline int nc_color_pairs(void) { return COLOR_PAIRS; }

static const attr_t NC_NORMAL = A_NORMAL;
static const attr_t NC_BOLD = A_BOLD;
static const attr_t NC_DIM = A_DIM;
static const attr_t NC_UNDERLINE = A_UNDERLINE;
static const attr_t NC_REVERSE = A_REVERSE;
static const attr_t NC_ITALIC = A_ITALIC;
static const attr_t NC_BLINK = A_BLINK;

/* A cell of one scalar and, if it is not 0, one combining scalar. */
static inline int nc_set_cell(cchar_t *_Nonnull out, uint32_t scalar, uint32_t combining,
                              attr_t attributes, int pair) {
  wchar_t text[3] = {(wchar_t)scalar, (wchar_t)combining, 0};
  return setcchar(out, text, attributes, (short)(pair > 32767 ? 32767 : pair), &pair);
}

/* The number of columns of a character according to the C library, which curses uses; <wchar.h> hides it without -D
   flags. */
extern int wcwidth(wchar_t character);
static inline int nc_width(uint32_t scalar) { return wcwidth((wchar_t)scalar); }

/* A cell with a character and what combines with it. The text ends with 0. */
static inline int nc_set_cluster(cchar_t *_Nonnull out, const wchar_t *_Nonnull text, attr_t attributes,
                                 int pair) {
  return setcchar(out, text, attributes, (short)(pair > 32767 ? 32767 : pair), &pair);
}

/* The first scalar of a cell, 0 for the right half of a wide character, and its color pair. */
static inline uint32_t nc_get_cell(const cchar_t *_Nonnull cell, int *_Nonnull pair) {
  wchar_t text[CCHARW_MAX + 1] = {0};
  attr_t attributes = 0;
  short narrow = 0;
  *pair = 0;
  return getcchar(cell, text, &attributes, &narrow, pair) == OK ? (uint32_t)text[0] : 0;
}

/* tigetstr returns (char *)-1 if the name is not a string capability, and NULL if the terminal lacks it. */
static inline const char *_Nullable nc_capability(const char *_Nonnull name) {
  const char *text = tigetstr(name);
  return text == (const char *)-1 ? (const char *)0 : text;
}

/* The sequence that places the cursor; valid until the next call. */
static inline const char *_Nullable nc_cursor_address(int row, int column) {
  const char *text = nc_capability("cup");
  return text == NULL ? NULL : tiparm(text, row, column);
}

/* Whether the terminal sets an indexed color as xterm does: the foreground if `foreground` is not 0, else the
   background. */
static inline int nc_sets_indexed_color(int foreground) {
  const char *text = nc_capability(foreground ? "setaf" : "setab");
  const char *made = text == NULL ? NULL : tiparm(text, 200);
  return made != NULL && strcmp(made, foreground ? "\033[38;5;200m" : "\033[48;5;200m") == 0;
}

/* The sequence that sets the scroll margins to all rows; valid until the next call. */
static inline const char *_Nullable nc_whole_scroll_margins(void) {
  const char *text = nc_capability("csr");
  return text == NULL ? NULL : tiparm(text, 0, LINES - 1);
}

#endif
