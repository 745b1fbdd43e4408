#!/bin/sh
# Compares the documents with the tables of the program (perfhud --dump-tables): options, subcommands, columns, keys,
# settings, events; and checks version, links, and the form of the manual pages. Needs the release binary (PERFHUD_BINARY, else the one that
# `make build` leaves) and mandoc.
set -u
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/.." || exit 1
binary=${PERFHUD_BINARY:-.build/release/perfhud}
manual=docs/perfhud.1
events=docs/perfhud-events.7
settings=docs/perfhud.conf.5
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP
failed=0
fail() {
  echo "docs: $*" >&2
  failed=1
}

[ -x "$binary" ] || {
  echo "docs: no program $binary; build it with: make build" >&2
  exit 1
}
command -v mandoc >/dev/null || {
  echo "docs: mandoc not found; install it with: make deps-test" >&2
  exit 1
}

# Lines of a section of a manual page, with roff's escapes undone. Arguments: page, section.
section() {
  awk -v name="$2" '
    /^\.Sh / { inside = substr($0, 5) == name; next }
    inside' "$1" | sed 's/\\(ha/^/g; s/\\-/-/g; s/\\&,/comma/g; s/\\&//g'
}

# What is in one of two lists alone. Arguments: what it is, list, its name, list, its name.
compare() {
  sort -u "$2" >"$scratch/a"
  sort -u "$4" >"$scratch/b"
  [ -s "$scratch/a" ] || fail "no $1 found in $3"
  for word in $(comm -23 "$scratch/a" "$scratch/b"); do fail "$1 $word of $3 is missing in $5"; done
  for word in $(comm -13 "$scratch/a" "$scratch/b"); do fail "$1 $word of $5 is not in $3"; done
}

# The first cell of each row of the tables under a heading of a Markdown file, code spans only.
first_cells() {
  awk -v heading="$2" -F'|' '
    /^## / { inside = $0 == heading; next }
    inside && /^\|/ { print $2 }' "$1" | grep -o '`[^`]*`' | tr -d '`'
}

# The options in a help text.
options() {
  awk '/^  -/ {
    text = $0
    sub(/^  /, "", text)
    sub(/   *.*/, "", text)
    gsub(/[,<>\/]/, " ", text)
    count = split(text, word, " ")
    for (i = 1; i <= count; i++) if (word[i] ~ /^-/) print word[i]
  }' "$1"
}

"$binary" --dump-tables >"$scratch/tables" || fail "$binary --dump-tables does not work"
# The second field of the rows of a kind.
table() { awk -F'\t' -v kind="$1" '$1 == kind { print $2 }' "$scratch/tables"; }

# Options: all but those of the parser, the one for this script, and former names.
table option | grep -vxE -e '--(help-hidden|generate-completion-script|experimental-dump-help|dump-tables|leader|reset)' \
  >"$scratch/options"
section "$manual" OPTIONS | awk '/^\.It Fl / {
  for (i = 2; i < NF; i++) if ($i == "Fl") print "-" $(i + 1)
}' >"$scratch/documented"
compare option "$scratch/options" "the program" "$scratch/documented" "$manual, OPTIONS"

# Subcommands, and the events that can be emitted with their options.
table subcommand | grep -vx help >"$scratch/subcommands"
section "$manual" SYNOPSIS | sed -n 's/^\.Cm \([a-z]*\).*/\1/p' >"$scratch/documented"
compare subcommand "$scratch/subcommands" "the program" "$scratch/documented" "$manual, SYNOPSIS"
for kind in $(table event | grep -vx loading-done); do
  section "$manual" SUBCOMMANDS | grep -q "^\.It Cm emit $kind" || fail "emit $kind is missing in $manual, SUBCOMMANDS"
  "$binary" emit "$kind" --help >"$scratch/emit"
  for option in $(options "$scratch/emit"); do
    case $option in -h | --help) continue ;; esac
    section "$manual" SUBCOMMANDS | grep -q -e "$option" ||
      fail "emit $kind $option is missing in $manual, SUBCOMMANDS"
  done
done
table event >"$scratch/events"
section "$events" EVENTS | sed -n 's/^\.It Cm \([a-z-]*\)$/\1/p' >"$scratch/documented"
compare event "$scratch/events" "the program" "$scratch/documented" "$events, EVENTS"
for color in $(table color); do
  section "$events" FIELDS | grep -qw "$color" || fail "color $color is missing in $events, FIELDS"
done

# Columns of jsonl and csv.
table column >"$scratch/columns"
first_cells docs/METRICS.md '## Columns' >"$scratch/documented"
compare column "$scratch/columns" "the program" "$scratch/documented" "docs/METRICS.md, Columns"
section "$manual" "BATCH OUTPUT" | sed -n 's/^\.It Li \([a-z0-9_]*\)$/\1/p' >"$scratch/documented"
compare column "$scratch/columns" "the program" "$scratch/documented" "$manual, BATCH OUTPUT"

# Keys.
table key >"$scratch/keys"
keys=docs/KEYS.md
[ -f "$keys" ] || keys=README.md
set -f # one of the keys is ?
first_cells "$keys" '## Keys' >"$scratch/documented"
compare key "$scratch/keys" "the program" "$scratch/documented" "$keys, Keys"
sed 's/^,$/comma/' "$scratch/keys" >"$scratch/keys-comma"
section "$manual" KEYS | sed -n 's/^\.It Ic //p' | tr ' ' '\n' | grep -vx , >"$scratch/documented"
compare key "$scratch/keys-comma" "the program" "$scratch/documented" "$manual, KEYS"
set +f

# Settings.
table setting >"$scratch/settings"
first_cells docs/CONFIGURATION.md '## Settings' >"$scratch/documented"
compare setting "$scratch/settings" "the program" "$scratch/documented" "docs/CONFIGURATION.md, Settings"
section "$settings" SETTINGS | sed -n 's/^\.It Cm \([a-z-]*\)$/\1/p' >"$scratch/documented"
compare setting "$scratch/settings" "the program" "$scratch/documented" "$settings, SETTINGS"
for variable in $(awk -F'\t' '$1 == "setting" { print $3 }' "$scratch/tables"); do
  grep -q "\`$variable\`" docs/CONFIGURATION.md || fail "variable $variable is missing in docs/CONFIGURATION.md"
  section "$settings" SETTINGS | grep -qw "$variable" || fail "variable $variable is missing in $settings, SETTINGS"
done
for metric in $(table metric); do
  section "$settings" RULES | grep -qw -e "$metric" || fail "metric $metric is missing in $settings, RULES"
done

# The version.
version=$("$binary" --version | cut -d ' ' -f 2)
grep -qF "## [$version]" CHANGELOG.md || fail "version $version is missing in CHANGELOG.md"

# Relative links and their anchors.
find . -name '*.md' -not -path './.build*' >"$scratch/pages"
while IFS= read -r file; do
  grep -oE '\]\([^)]+\)' "$file" | sed 's/^](//; s/)$//' >"$scratch/links"
  while IFS= read -r link; do
    case $link in *://* | mailto:*) continue ;; esac
    path=${link%%#*}
    if [ -z "$path" ]; then target=$file; else target=$(dirname "$file")/$path; fi
    if [ ! -e "$target" ]; then
      fail "$file links to $link, which is not there"
      continue
    fi
    case $link in *'#'*) ;; *) continue ;; esac
    sed -n 's/^##* //p' "$target" | tr 'A-Z' 'a-z' | sed 's/[^a-z0-9 _-]//g; s/ /-/g' \
      >"$scratch/anchors"
    grep -qxF -e "${link#*#}" "$scratch/anchors" || fail "$file links to $link: no such heading"
  done <"$scratch/links"
done <"$scratch/pages"

# The form of the manual pages: no warnings above style.
for page in "$manual" "$events" "$settings"; do
  mandoc -Tlint -Wwarning "$page" >"$scratch/lint" 2>/dev/null
  while IFS= read -r line; do fail "$line"; done <"$scratch/lint"
done

[ "$failed" = 0 ] && echo "docs: agree with the program"
exit "$failed"
