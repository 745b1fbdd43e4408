#!/bin/sh
# Copies what the sampler reads of one process into a directory, as a fixture of its tests:
#
#   scripts/capture-proc.sh [--cgroup] PID Tests/SamplerTests/Fixtures/linux-$(uname -r | cut -d. -f1,2)/CASE
#
# The directory becomes a small root of a file system: proc, with --cgroup also the limits under
# sys/fs/cgroup, and the file `pid`, which names the process. Files that the kernel does not give are
# left out. Look through the result before you keep it: a command line may hold secrets.
set -eu

with_cgroup=no
if [ "$1" = --cgroup ]; then
  with_cgroup=yes
  shift
fi
pid=$1
to=$2

# Takes a file as one reading, as the sampler does.
take() {
  mkdir -p "$(dirname "$to$1")"
  dd if="$1" of="$to$1" bs=1M count=1 status=none 2>/dev/null || rm -f "$to$1"
}

mkdir -p "$to/proc/self"
printf '%s\n' "$pid" >"$to/pid"
for name in stat statm status io schedstat cmdline cgroup smaps_rollup; do
  take "/proc/$pid/$name"
done
for task in /proc/"$pid"/task/*; do
  for name in statm status children; do take "$task/$name"; done
done
grep ^MemTotal: /proc/meminfo >"$to/proc/meminfo"
grep -E ' - cgroup2? ' /proc/self/mountinfo >"$to/proc/self/mountinfo" || true
take /sys/devices/system/cpu/online
[ "$with_cgroup" = yes ] || exit 0

limits="memory.max memory.high cpu.max cpuset.cpus.effective cgroup.controllers memory.limit_in_bytes
  cpu.cfs_quota_us cpu.cfs_period_us cpuset.cpus cpuset.effective_cpus"
while IFS=: read -r _ _ path; do
  while read -r _ _ _ _ point _; do
    level=$path
    while :; do
      for name in $limits; do
        if [ -f "$point$level/$name" ]; then take "$point$level/$name"; fi
      done
      case $level in
        */*) level=${level%/*} ;;
        *) break ;;
      esac
    done
  done <"$to/proc/self/mountinfo"
done <"$to/proc/$pid/cgroup"
