// A program with two screens that ends right after the last one: screens.js FILE VISITS MILLISECONDS LEAK_MIB
// It appends its phases to FILE, for `--events FILE`. The canvas keeps LEAK_MIB at each visit.
const fs = require("fs");
const [file, visits, milliseconds, leak] = [process.argv[2], ...process.argv.slice(3).map(Number)];
const kept = [];
const pause = (time) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, time);
const phase = (name) => fs.appendFileSync(file, `phase ${name}\n`);
pause(500);
for (let visit = 0; visit < visits; visit++) {
  phase("gallery");
  pause(milliseconds);
  phase("canvas");
  pause(20);
  if (leak) kept.push(Buffer.alloc(leak << 20, 1));
  pause(milliseconds);
}
phase("end");
