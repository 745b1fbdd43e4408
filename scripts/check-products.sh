#!/bin/sh
# Checks what a program links with the library products Sampler and PerfHUDClient: no code that starts
# processes, no crash guard, no constructor of ours, and no swift-log. Builds a package that depends on this
# one, in .build/products; what the dependencies need is in SwiftPM's cache after a build of perfhud.
set -u
cd "$(dirname "$0")/.." || exit 1
root=$PWD
swift=${SWIFT:-swift}
work=.build/products
failed=0
fail() {
  echo "products: $*" >&2
  failed=1
}

mkdir -p "$work/Sources/sampler-user" "$work/Sources/client-user"
# The last part of the path names the package, whatever the folder of this checkout is called.
ln -sfn "$root" "$work/perfhud"
cat >"$work/Package.swift" <<'PACKAGE'
// swift-tools-version:6.2
import PackageDescription
let package = Package(
  name: "users",
  dependencies: [.package(name: "perfhud", path: "perfhud")],
  targets: [
    .executableTarget(
      name: "sampler-user", dependencies: [.product(name: "Sampler", package: "perfhud")]),
    .executableTarget(
      name: "client-user", dependencies: [.product(name: "PerfHUDClient", package: "perfhud")]),
  ])
PACKAGE
cat >"$work/Sources/sampler-user/main.swift" <<'SOURCE'
import Sampler

let sampler = try SamplerThread(pid: 1, options: SamplerOptions())
try sampler.start()
while let sample = sampler.next() {
  print(sample.time.nanoseconds, sample.cpuNanoseconds.value ?? 0, sample.residentBytes.value ?? 0)
}
SOURCE
cat >"$work/Sources/client-user/main.swift" <<'SOURCE'
import PerfHUDClient

PerfHUD.phase("start", color: .green)
PerfHUD.action("step", count: 2)
SOURCE

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! "$swift" build --package-path "$work" >"$log" 2>&1; then
  cat "$log" >&2
  fail "a package that uses the products does not build"
  exit 1
fi
for name in sampler-user client-user; do
  binary=$work/.build/debug/$name
  count=$(nm "$binary" | grep -c perfhud_)
  [ "$count" -gt 0 ] || fail "nm shows no function of ours in $name"
  for symbol in fork _Fork vfork clone execve execvp execvpe posix_spawn posix_spawnp system popen sigaltstack \
    sigaction; do
    nm -D --undefined-only "$binary" | grep -qE " $symbol(@|\$)" && fail "$name calls $symbol"
  done
  for symbol in perfhud_crash_guard perfhud_pty_start perfhud_direct_start perfhud_run_detached \
    perfhud_arguments perfhud_hold; do
    nm "$binary" | grep -q " $symbol\$" && fail "$name links $symbol"
  done
done
for object in $(find "$work/.build/debug/" -path '*.build/*.o' ! -path '*-user.build/*'); do
  objdump -h "$object" | grep -qE '\.(init_array|ctors|preinit_array)' && fail "$object has a constructor"
done
[ ! -d "$work/.build/checkouts/swift-log" ] || fail "swift-log is fetched without the trait Logging"
[ "$failed" = 0 ] && echo "products: link no process code and no constructor"
exit "$failed"
