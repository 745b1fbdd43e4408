#!/usr/bin/env bash
# Makes the packages twice and compares them, checks the Debian package with lintian, installs it in a new Debian 12
# without Swift, draws a HUD over an editor there, removes it, and looks for anything that is left.
# The Debian comes from debootstrap with the mirror of this machine and is kept in .build/debian-12.
# --rebuild: also builds the binary anew, from a clone at another path, and compares it.
# check-packages.sh [--rebuild]
set -euo pipefail
cd "$(dirname "$0")/.."
binary=.build/release/perfhud
base=.build/debian-12
fail() {
  echo "packages: $*" >&2
  exit 1
}
[ -x $binary ] || fail "no $binary; build it with: make build"

# Inside a mount and pid namespace of its own: all that it mounts and starts is gone with it.
in_new_debian() {
  local root=$1 package=$2 version=$3
  mount -t proc proc "$root/proc"
  mount --bind /dev "$root/dev"
  mount --bind /dev/pts "$root/dev/pts"
  inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "$@"; }
  files() {
    (cd "$root" && find . -xdev -path ./var/lib/dpkg -prune -o -path ./var/lib/apt -prune -o -path ./var/cache/apt \
      -prune -o -path ./var/log -prune -o -print | LC_ALL=C sort)
  }
  ! inside sh -c 'command -v swift' || fail "there is a Swift in the new Debian"
  cp "$package" "$root/var/cache/apt/perfhud.deb"
  files >"$root.before"
  inside apt-get install -qq -y /var/cache/apt/perfhud.deb </dev/null >"$root.log" 2>&1 ||
    { cat "$root.log" >&2; fail "the package does not install"; }
  [ "$(inside perfhud --version)" = "$version" ] || fail "installed, it says: $(inside perfhud --version)"
  inside bash -n /usr/share/bash-completion/completions/perfhud
  inside sh -c 'for page in $(dpkg -L perfhud | grep /man/man.*gz); do gzip -t $page || exit 1; done'
  inside perfhud --pid $$ --batch --samples 2 >"$root.rows"
  [ "$(wc -l <"$root.rows")" -ge 2 ] || fail "installed, it prints no rows of a process"

  # A HUD over an editor, in a terminal.
  local run="env -i PATH=/usr/bin:/bin HOME=/root LANG=C.UTF-8 TERM=screen perfhud -- vi -u NONE /etc/debian_version"
  local tmux=(tmux -L packages -f /dev/null)
  env -u TMUX TMUX_TMPDIR="$root.tmux" LANG=C.UTF-8 "${tmux[@]}" new-session -d -x 100 -y 30 \
    "chroot '$root' /usr/bin/$run; echo \$? >'$root.status'"
  local deadline=$((SECONDS + 30)) screen=
  until [[ $screen == *CPU* && $screen == *MEM* && $screen == 12.* ]]; do
    [ $SECONDS -lt $deadline ] || { echo "$screen" >&2; fail "no HUD over the editor"; }
    sleep 0.1
    screen=$(TMUX_TMPDIR="$root.tmux" "${tmux[@]}" capture-pane -p || true)
  done
  TMUX_TMPDIR="$root.tmux" "${tmux[@]}" send-keys Escape ':q!' Enter
  until [ -s "$root.status" ]; do
    [ $SECONDS -lt $deadline ] || fail "the editor does not end"
    sleep 0.1
  done
  [ "$(cat "$root.status")" = 0 ] || fail "the editor ended with status $(cat "$root.status")"

  inside apt-get purge -qq -y perfhud </dev/null >"$root.log" 2>&1 || { cat "$root.log" >&2; fail "it is not removed"; }
  # The user's folder for sockets, as it is without a login session; empty once perfhud has ended.
  rmdir "$root/tmp/perfhud-0"
  files >"$root.after"
  diff "$root.before" "$root.after" >&2 || fail "removed, it leaves the files above"
  ! inside dpkg -s perfhud >/dev/null 2>&1 || fail "removed, dpkg still knows it"
}

if [ "${1:-}" = --in-new-debian ]; then
  shift
  in_new_debian "$@"
  exit
fi

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
[ "$(id -u)" = 0 ] || fail "debootstrap and chroot need root"

# Twice the same bytes, whatever the time zone, the language and the mode of new files.
package=$(packaging/deb.sh .build/packages)
tarball=$(packaging/tarball.sh .build/packages)
(
  umask 077
  export TZ=Asia/Tokyo LC_ALL=C
  packaging/deb.sh "$work/again" >/dev/null
  packaging/tarball.sh "$work/again" >/dev/null
)
for file in "$package" "$tarball"; do
  cmp "$file" "$work/again/$(basename "$file")" || fail "made again, $file has other bytes"
  (cd .build/packages && sha256sum --quiet -c "$(basename "$file").sha256")
done
if [ "${1:-}" = --rebuild ]; then
  git clone -q . "$work/clone"
  make -C "$work/clone" --no-print-directory build >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2; exit 1; }
  cmp $binary "$work/clone/$binary" || fail "built anew, $binary has other bytes"
  rm -rf "$work/clone"
  echo "packages: built anew, the binary has the same bytes"
fi

readelf -lW $binary | grep -q INTERP && fail "$binary is linked dynamically"
lintian --allow-root --fail-on error,warning "$package" || fail "lintian complains"

# The archive runs from where it was unpacked.
tar -C "$work" -xzf "$tarball"
folder=$work/$(basename "$tarball" .tar.gz)
for file in bin/perfhud share/man/man1/perfhud.1 LICENSE COPYRIGHT README.md; do
  [ -e "$folder/$file" ] || fail "the archive has no $file"
done
version=$($binary --version)
[ "$("$folder/bin/perfhud" --version)" = "$version" ] || fail "the archive has another version"

if [ ! -e $base/etc/debian_version ]; then
  rm -rf --one-file-system $base $base.new
  # The mirror that this machine takes its own packages from.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' 2>/dev/null |
    head -n 1)
  echo "packages: fetching a Debian 12"
  # shellcheck disable=SC2086 # no mirror is no word
  debootstrap --variant=minbase --include=vim-tiny bookworm $base.new $mirror >"$work/debootstrap.log" 2>&1 ||
    { tail -n 20 "$work/debootstrap.log" >&2; fail "debootstrap failed"; }
  mv $base.new $base
fi
root=$work/root
cp -a $base "$root"
mkdir "$root.tmux"
unshare --mount --pid --fork --kill-child --mount-proc "$0" --in-new-debian "$root" "$PWD/$package" "$version"
echo "packages: same bytes twice; installed, run over an editor and removed in Debian $(cat $base/etc/debian_version)"
