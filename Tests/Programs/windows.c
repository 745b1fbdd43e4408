/* A program that uses curses as large programs do: windows over each other, regions that scroll with
 * the terminal's own help, lines inserted and deleted, wide characters, colors and a pad.
 * Each key does one thing; q ends it. */
#define _XOPEN_SOURCE_EXTENDED 1
#include <curses.h>
#include <locale.h>
#include <stdlib.h>
#include <wchar.h>

static int logged = 0;

static void addLogLines(WINDOW *log, int count) {
  for (int line = 0; line < count; line++) {
    wattron(log, COLOR_PAIR(1 + logged % 6));
    wprintw(log, "\n%04d ", logged);
    wattroff(log, COLOR_PAIR(1 + logged % 6));
    waddwstr(log, logged % 3 ? L"a line of the log that reaches below what lies on top" : L"日本語の行です。四角い文字が並ぶ");
    logged++;
  }
}

int main(void) {
  setlocale(LC_ALL, "");
  initscr();
  start_color();
  use_default_colors();
  cbreak();
  noecho();
  keypad(stdscr, TRUE);
  set_escdelay(50);
  for (short pair = 1; pair <= 6; pair++) init_pair(pair, pair, -1);
  init_pair(7, COLOR_WHITE, COLOR_BLUE);
  init_pair(8, COLOR_BLACK, COLOR_CYAN);
  idlok(stdscr, TRUE);
  idcok(stdscr, TRUE);
  for (int row = 0; row < LINES; row++) {
    attron(COLOR_PAIR(1 + row % 6));
    mvprintw(row, 0, "%02d", row);
    attroff(COLOR_PAIR(1 + row % 6));
    for (int column = 3; column < COLS - 8; column += 8) mvprintw(row, column, "%c%06d", 'a' + row, column);
  }
  refresh();

  WINDOW *log = newwin(LINES - 6, COLS, 3, 0);
  scrollok(log, TRUE);
  idlok(log, TRUE);
  WINDOW *box = newwin(8, 44, 2, COLS - 50);
  wbkgd(box, COLOR_PAIR(7));
  WINDOW *pad = newpad(100, 60);
  for (int row = 0; row < 100; row++) mvwprintw(pad, row, 0, "pad row %d ................................", row);
  int top = 0;

  for (;;) {
    int key = getch();
    switch (key) {
      case 'q': endwin(); return 0;
      case 'l': addLogLines(log, 4); wrefresh(log); break;
      case 'L': addLogLines(log, 40); wrefresh(log); break;
      case 'u': wscrl(log, -3); wrefresh(log); break;
      case 'b':
        werase(box);
        box(box, 0, 0);
        mvwaddwstr(box, 2, 2, L"a box 箱 with a title");
        wattron(box, A_REVERSE | A_BOLD);
        mvwprintw(box, 4, 2, " OK ");
        wattroff(box, A_REVERSE | A_BOLD);
        wrefresh(box);
        break;
      case 'm': mvwin(box, 5, 20); wrefresh(box); break;
      case 'B': werase(stdscr); touchwin(stdscr); wnoutrefresh(stdscr); touchwin(log); wnoutrefresh(log); doupdate(); break;
      case 'i': move(4, 0); insertln(); mvaddwstr(4, 50, L"inserted 行"); refresh(); break;
      case 'd': move(1, 0); deleteln(); refresh(); break;
      case 'c': move(2, 10); for (int n = 0; n < 7; n++) insch('<' | A_BOLD); refresh(); break;
      case 'x': move(2, 4); for (int n = 0; n < 9; n++) delch(); refresh(); break;
      case 'p': top += 7; prefresh(pad, top, 0, 1, 30, 12, 78); break;
      case 'f': bkgd(COLOR_PAIR(8)); refresh(); break;
      case 'C': clear(); mvaddwstr(0, 0, L"cleared"); refresh(); break;
      case 'v': curs_set(0); refresh(); break;
      case 'V': curs_set(1); move(5, 60); refresh(); break;
      default: mvprintw(0, 0, "key %d", key); clrtoeol(); refresh();
    }
  }
}
