#!/usr/bin/env node
// Starts the program of the package for this system. Nothing is downloaded when it is installed or run.
"use strict";
const { spawnSync } = require("node:child_process");

const name = `annals-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/annals${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`annals: there is no program for ${process.platform} ${process.arch}: the package ${name} is not installed`);
  process.exit(1);
}
const run = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (run.error) {
  console.error(`annals: ${run.error.message}`);
  process.exit(1);
}
if (run.signal) {
  process.kill(process.pid, run.signal);
}
process.exit(run.status ?? 1);
