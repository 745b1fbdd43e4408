#!/bin/sh
# Prints what is built: its commit (a `+` after it: with changes), or the time of that commit in seconds since 1970.
# Prints nothing outside of a git checkout. SOURCE_DATE_EPOCH replaces the time.
# commit.sh id|time
cd "$(dirname "$0")/.." || exit 1
[ -e .git ] || [ "$1" = time ] || exit 0
case $1 in
id)
  id=$(git rev-parse --short=12 HEAD 2>/dev/null) || exit 0
  [ -z "$(git status --porcelain --untracked-files=no 2>/dev/null)" ] || id=$id+
  echo "$id"
  ;;
time)
  if [ -n "${SOURCE_DATE_EPOCH:-}" ]; then
    echo "$SOURCE_DATE_EPOCH"
  elif [ -e .git ]; then
    git log -1 --format=%ct 2>/dev/null
  fi
  ;;
*)
  echo "commit.sh id|time" >&2
  exit 64
  ;;
esac
