#!/bin/sh
# The release binary has no log for developers, neither its variable nor the texts of its lines, and no
# library that it does not need: Foundation (Sources/CFoundation) and the one of regular expressions.
set -u
cd "$(dirname "$0")/.." || exit 1
binary=${1:-.build/release/perfhud}
[ -x "$binary" ] || { echo "release: no $binary; build it with: make build" >&2; exit 1; }
for text in PERFHUD_LOG DeveloperLog developer-log; do
  # Without the count of the matches grep would end early, and strings with a complaint.
  count=$(strings -a "$binary" | grep -cF "$text")
  if [ "$count" != 0 ]; then
    echo "release: $binary contains '$text', which belongs to debug builds" >&2
    exit 1
  fi
done
for text in FoundationEssentials RegexParser; do
  count=$(strings -a "$binary" | grep -cF "$text")
  if [ "$count" != 0 ]; then
    echo "release: $binary contains $text, which adds megabytes; see: ld.lld --why-extract" >&2
    exit 1
  fi
done
echo "release: no log for developers, no Foundation, no regular expressions"
