#!/bin/sh
# Compares the documents with the program and the sources: options, columns, keys, settings, version,
# links, and the form of the manual page. Needs the release binary (PERFHUD_BINARY, else the one that
# `make build` leaves) and mandoc.
set -u
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/.." || exit 1
binary=${PERFHUD_BINARY:-.build/release/perfhud}
page=docs/perfhud.1
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

# Lines of a section of the manual page, with roff's escapes undone.
section() {
  awk -v name="$1" '
    /^\.Sh / { inside = substr($0, 5) == name; next }
    inside' "$page" | sed 's/\\(ha/^/g; s/\\-/-/g; s/\\&,/comma/g; s/\\&//g'
}

# What stands in one of two lists alone. Arguments: what it is, list, its name, list, its name.
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

# Options: --help and the manual page. Those that the short help leaves out are in the page too.
"$binary" --help >"$scratch/help" || fail "$binary --help does not work"
"$binary" --help-hidden >"$scratch/help-hidden" || fail "$binary --help-hidden does not work"
options "$scratch/help-hidden" >"$scratch/options"
section OPTIONS | awk '/^\.It Fl / {
  for (i = 2; i < NF; i++) if ($i == "Fl") print "-" $(i + 1)
}' >"$scratch/documented"
compare option "$scratch/options" "perfhud --help-hidden" "$scratch/documented" "$page, OPTIONS"
section SYNOPSIS | awk '{
  sub(/^\./, "")
  for (i = 1; i < NF; i++) if ($i == "Fl") print "-" $(i + 1)
}' >"$scratch/synopsis"
options "$scratch/help" | grep -vx -e '-h' >"$scratch/long"
compare option "$scratch/long" "perfhud --help" "$scratch/synopsis" "$page, SYNOPSIS"

# The events that can be emitted, with their options.
for kind in $("$binary" emit --help | awk '/^SUBCOMMANDS:/ { inside = 1; next } inside && /^  [a-z]/ { print $1 }'); do
  section EVENTS | grep -q "^\.It Cm emit $kind" || fail "emit $kind is missing in $page, EVENTS"
  "$binary" emit "$kind" --help >"$scratch/emit"
  for option in $(options "$scratch/emit"); do
    case $option in -h | --help | --version) continue ;; esac
    section EVENTS | grep -q -e "$option" || fail "emit $kind $option is missing in $page, EVENTS"
  done
done

# Columns of jsonl and csv: the declarations of the metrics and the other columns in the sources, docs/METRICS.md and
# the manual page.
{
  tr -d '\n' <Sources/Metrics/Run/Metric.swift | grep -oE 'MetricDefinition\( *"[a-z0-9_]+"' |
    sed 's/.*"\(.*\)"/\1/'
  awk '/var key: StaticString/ { inside = 1; next } inside && /^  }/ { exit } inside' \
    Sources/Metrics/Run/Row.swift | sed -n 's/.*case \.[A-Za-z0-9]*: "\(.*\)".*/\1/p'
} >"$scratch/columns"
first_cells docs/METRICS.md '## Columns' >"$scratch/documented"
compare column "$scratch/columns" "the sources" "$scratch/documented" "docs/METRICS.md, Columns"
section "OUTPUT LINES" | sed -n 's/^\.It Li \([a-z0-9_]*\)$/\1/p' >"$scratch/documented"
compare column "$scratch/columns" "the sources" "$scratch/documented" "$page, OUTPUT LINES"

# Keys: the tables in the sources, README.md and the manual page.
grep -ohE '\.(character|control)\("[^"]+"\)|\.(up|down|left|right|enter|escape|tab|home|end|pageUp|pageDown)\>' \
  Sources/HUD/Keys/KeyTable.swift |
  sed 's/^\.escape$/Esc/; s/^\.enter$/Enter/
       s/^\.up$/Up/; s/^\.down$/Down/; s/^\.left$/Left/; s/^\.right$/Right/
       s/^\.tab$/Tab/; s/^\.home$/Home/; s/^\.end$/End/
       s/^\.pageUp$/PageUp/; s/^\.pageDown$/PageDown/
       s/^\.character(" ")$/space/
       s/^\.character("\(.*\)")$/\1/
       s/^\.control("\(.*\)")$/\1 control/' |
  awk '$2 == "control" { print "^" toupper($1); next } { print }' >"$scratch/keys"
set -f # one of the keys is ?
first_cells README.md '## Keys' >"$scratch/documented"
compare key "$scratch/keys" "the tables of keys in Sources/HUD" "$scratch/documented" "README.md, Keys"
section KEYS | sed -n 's/^\.It Ic //p' | tr ' ' '\n' | grep -vx , | sed 's/^comma$/,/' >"$scratch/documented"
compare key "$scratch/keys" "the tables of keys in Sources/HUD" "$scratch/documented" "$page, KEYS"
set +f

# Settings: the declarations in the sources (a key and a key path), README.md and the manual page.
table=Sources/HUD/Settings/SettingTable.swift
tr -d '\n' <"$table" | grep -oE '"[a-z-]+", *\\\.' | sed 's/"\(.*\)".*/\1/' >"$scratch/settings"
first_cells README.md '## Settings' >"$scratch/documented"
compare setting "$scratch/settings" "$table" "$scratch/documented" \
  "README.md, Settings"
tr 'a-z-' 'A-Z_' <"$scratch/settings" | sed 's/^/PERFHUD_/' >"$scratch/variables"
for variable in $(cat "$scratch/variables"); do
  grep -q "\`$variable\`" README.md || fail "variable $variable is missing in README.md"
  section ENVIRONMENT | grep -qw "$variable" || fail "variable $variable is missing in $page"
done
for key in $(cat "$scratch/settings"); do
  section FILES | grep -qE "^\.Cm $key( |\$)" || fail "setting $key is missing in $page, FILES"
done

# The version.
version=$("$binary" --version)
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

# The form of the manual page. Whether the pages it refers to are installed here does not matter.
mandoc -Tlint "$page" 2>/dev/null | grep -v 'referenced manual not found' >"$scratch/lint"
while IFS= read -r line; do fail "$line"; done <"$scratch/lint"

[ "$failed" = 0 ] && echo "docs: agree with program and sources"
exit "$failed"
