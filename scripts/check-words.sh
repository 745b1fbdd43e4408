#!/bin/sh
# Every word that the HUD draws comes from the table of words (Sources/Metrics/Words/Words*.swift), which has it
# in two languages. A widget itself may have names and units, which are the same in both.
set -u
cd "$(dirname "$0")/.." || exit 1
allowed='^(perfhud|pid|FPS|CPU %|MEM|MEM footprint|MEM rss|MEM pss|ms|0ms|ms/s|iB|KiB|MiB|GiB|SIG[A-Z0-9]+)$'
found=$(
  for file in Sources/HUD/Gauges/*.swift Sources/HUD/Graphs/*.swift Sources/HUD/Overlay/*.swift \
    Sources/HUD/Pages/*.swift Sources/HUD/*/*Window.swift Sources/HUD/Windows/*.swift \
    Sources/HUD/View/HUD.swift Sources/HUD/View/HUDState.swift Sources/HUD/*/HUD+*.swift; do
    # Without comments and interpolations; keys of settings are no words.
    sed -E 's://.*$::; s/note\(setting: "[^"]*"//; s/\\\([^()]*(\([^()]*(\([^()]*\))?[^()]*\)[^()]*)*\)//g' "$file" |
      grep -oE '"[^"]*"' | sed 's/^"//; s/"$//' | grep -E '[A-Za-z]{2}' |
      sed -E 's/^ +//; s/ +$//' | grep -vE "$allowed" | sed "s|^|$file: |"
  done
)
if [ -n "$found" ]; then
  echo "$found" | while IFS= read -r line; do
    echo "words: $line is not in the table of words" >&2
  done
  exit 1
fi
echo "words: all from the table"
