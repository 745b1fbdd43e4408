#!/bin/sh
# Installs those of the named Debian packages that are missing; silent if there are none.
set -eu
if ! command -v dpkg-query >/dev/null; then
  echo "not a Debian system: what is needed here has these names on Debian: $*" >&2
  exit 0
fi
missing=
for package in "$@"; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ]; then
  sudo=
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  sudo=sudo
elif command -v sudo >/dev/null && [ -t 0 ]; then
  sudo=sudo
else
  echo "missing packages; as root run: apt-get install -y$missing" >&2
  exit 1
fi
echo "installing:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # the list is words
if ! { $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends $missing; } >"$log" 2>&1
then
  tail -n 20 "$log" >&2
  echo "could not install; as root run: apt-get install -y$missing" >&2
  exit 1
fi
