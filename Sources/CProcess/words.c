/* The words of the command line: which are perfhud's own, and where the command begins.

   This is decided in this one place. The start-up code needs it before the Swift runtime begins. The option parser
   (Sources/PerfHUD/CommandLine) gets only perfhud's own words, so an option of a command can never be mistaken for one
   of perfhud. A test compares the tables with the parser's. */
#include "CProcess.h"

#include <string.h>

#define FLAG 0
#define VALUE 1
#define NO_HUD 1

/* Name, letter, whether a value follows, and whether with this option there is no HUD over a command, or something is
   opened that may be opened only once. */
static const struct perfhud_option options[] = {
    {"pid", 'p', VALUE, NO_HUD},
    {"name", 0, VALUE, NO_HUD},
    {"wait", 0, FLAG, 0},
    {"cgroup", 0, VALUE, NO_HUD},
    {"pick", 0, FLAG, NO_HUD},
    {"overlay", 0, FLAG, 0},
    {"tree", 't', FLAG, 0},
    {"no-tree", 0, FLAG, 0},
    {"exit-with-target", 0, FLAG, 0},
    {"size", 0, VALUE, 0},
    {"corner", 0, VALUE, 0},
    {"prefix", 0, VALUE, 0},
    {"leader", 0, VALUE, 0},
    {"step-aside", 0, FLAG, 0},
    {"no-step-aside", 0, FLAG, 0},
    {"hidden", 0, FLAG, 0},
    {"auto-show", 0, VALUE, 0},
    {"restart-hud", 0, FLAG, 0},
    {"nested", 0, FLAG, 0},
    {"ghost", 0, FLAG, 0},
    {"graph", 0, VALUE, 0},
    {"layout", 0, VALUE, 0},
    {"theme", 0, VALUE, 0},
    {"ascii", 0, FLAG, 0},
    {"no-color", 0, FLAG, 0},
    {"mouse", 0, FLAG, 0},
    {"no-mouse", 0, FLAG, 0},
    {"lang", 0, VALUE, 0},
    {"summary", 0, FLAG, 0},
    {"no-summary", 0, FLAG, 0},
    {"interval", 'd', VALUE, 0},
    {"memory", 0, VALUE, 0},
    {"tick", 0, VALUE, 0},
    {"duration", 0, VALUE, 0},
    {"batch", 'b', FLAG, NO_HUD},
    {"format", 'f', VALUE, 0},
    {"output", 'o', VALUE, NO_HUD},
    {"samples", 'n', VALUE, NO_HUD},
    {"record", 0, VALUE, 0},
    {"record-command", 0, FLAG, 0},
    {"record-limit", 0, VALUE, 0},
    {"record-last", 0, VALUE, 0},
    {"record-screen", 0, FLAG, 0},
    {"prometheus", 0, VALUE, 0},
    {"otlp", 0, VALUE, 0},
    {"alert", 0, VALUE, 0},
    {"alert-bell", 0, FLAG, 0},
    {"no-alert-bell", 0, FLAG, 0},
    {"alert-command", 0, VALUE, 0},
    {"budget", 0, VALUE, 0},
    {"budgets", 0, VALUE, NO_HUD},
    {"strict", 0, FLAG, 0},
    {"junit", 0, VALUE, NO_HUD},
    {"github", 0, FLAG, 0},
    {"phase-from", 0, VALUE, 0},
    {"phase-pattern", 0, VALUE, 0},
    {"action-high", 0, VALUE, 0},
    {"events", 0, VALUE, 0},
    {"no-events", 0, FLAG, 0},
    {"no-osc-events", 0, FLAG, 0},
    {"config", 'C', VALUE, NO_HUD},
    {"explain", 0, FLAG, NO_HUD},
    {"version", 'V', FLAG, NO_HUD},
    {"help", 'h', FLAG, NO_HUD},
    {"reset", 0, FLAG, NO_HUD},
    {"dump-tables", 0, FLAG, NO_HUD},
    /* The parser's own options. */
    {"help-hidden", 0, FLAG, NO_HUD},
    {"generate-completion-script", 0, VALUE, NO_HUD},
    {"experimental-dump-help", 0, FLAG, NO_HUD},
};

static const char *const subcommands[] = {"emit",   "config", "widgets", "reset",   "tmux", "replay",
                                          "report", "export", "check",   "compare", "help"};

enum { OPTIONS = sizeof options / sizeof options[0], SUBCOMMANDS = sizeof subcommands / sizeof subcommands[0] };

int perfhud_options(const struct perfhud_option **list) {
  *list = options;
  return OPTIONS;
}

int perfhud_subcommands(const char *const **list) {
  *list = subcommands;
  return SUBCOMMANDS;
}

/* The option of `--name` or `--name=value`; NULL: none. */
static const struct perfhud_option *long_option(const char *word) {
  size_t length = strcspn(word + 2, "=");
  for (int i = 0; i < OPTIONS; i++)
    if (strncmp(word + 2, options[i].name, length) == 0 && options[i].name[length] == 0) return &options[i];
  return NULL;
}

static const struct perfhud_option *short_option(char letter) {
  for (int i = 0; i < OPTIONS; i++)
    if (letter != 0 && options[i].letter == letter) return &options[i];
  return NULL;
}

static int is_number(const char *word) { return word[0] != 0 && word[strspn(word, "0123456789")] == 0; }

static int is_subcommand(const char *word) {
  for (int i = 0; i < SUBCOMMANDS; i++)
    if (strcmp(word, subcommands[i]) == 0) return 1;
  return 0;
}

static void note(struct perfhud_words *words, const struct perfhud_option *option) {
  if (option->is_without_hud) words->is_without_hud = 1;
  if (strcmp(option->name, "nested") == 0) words->is_nested = 1;
}

/* Takes the options of a word that begins with a hyphen. Returns whether the next word is the value of the last one, or
   -1 if the word has an unknown option. */
static int take_options(struct perfhud_words *words, const char *word) {
  if (word[1] == '-') {
    const struct perfhud_option *option = long_option(word);
    if (option == NULL) return -1;
    note(words, option);
    return option->takes_value && strchr(word, '=') == NULL;
  }
  for (const char *at = word + 1; *at != 0; at++) {
    const struct perfhud_option *option = short_option(*at);
    if (option == NULL) return -1;
    note(words, option);
    if (option->takes_value) return at[1] == 0;
  }
  return 0;
}

void perfhud_read_words(int argc, char *const *argv, struct perfhud_words *words) {
  *words = (struct perfhud_words){.own_end = argc, .number = 0, .command = argc, .kind = PERFHUD_NO_COMMAND};
  if (argc > 1 && strcmp(argv[1], "---completion") == 0) {
    /* A completion script passes all words of the line. */
    words->is_without_hud = 1;
    return;
  }
  int is_known = 1;
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i];
    if (strcmp(word, "--") == 0) {
      words->own_end = i;
      words->command = i + 1;
      words->kind = PERFHUD_COMMAND;
      return;
    }
    /* After a mistake, only the words after `--` can be the command with certainty. */
    if (!is_known) continue;
    if (word[0] == '-' && word[1] != 0) {
      int takes_next = take_options(words, word);
      if (takes_next < 0) is_known = 0;
      if (takes_next > 0 && i + 1 < argc && strcmp(argv[i + 1], "--") != 0) i++;
    } else if (words->number == 0 && is_number(word)) {
      words->number = i;
      words->is_without_hud = 1;
    } else {
      words->own_end = words->command = i;
      words->kind = is_subcommand(word) ? PERFHUD_SUBCOMMAND : PERFHUD_COMMAND;
      return;
    }
  }
}
