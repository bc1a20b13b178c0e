// Runs `vitest run` in this process, as its own command does, and reports what its state says of each test.
//
// Started as `node -e START -- DESCRIPTORS DETAILS`. The tests run in processes of their own; the project's
// configuration of vitest is executed here.

"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { spawnSync } = require("node:child_process");

const [descriptors, details] = process.argv.slice(1);
const { words } = JSON.parse(details);
const [wordFrom, reportTo, textFrom] = descriptors.split(",").map(Number);
const word = fs.readFileSync(wordFrom, "latin1");
fs.closeSync(wordFrom);
fs.closeSync(textFrom);
const { writeSync, closeSync } = fs;
const { stringify } = JSON;

function counted(task, counts, names) {
  const all = [...names, task.name];
  if (Array.isArray(task.tasks)) {
    for (const inner of task.tasks) counted(inner, counts, task.type === "suite" && task.filepath === undefined ? all : []);
    return;
  }
  if (task.mode === "todo") counts.todo += 1;
  else if (task.mode === "skip" || task.result?.state === "skip") counts.skipped += 1;
  else if (task.result?.state === "pass") counts.passed += 1;
  else {
    counts.failed += 1;
    if (counts.failing.length < 50) counts.failing.push(all.join(" > ").slice(0, 500));
  }
}

// Where a sandbox closes /proc, how much memory a process has can't be asked for, and a worker of vitest that asks
// when its tests have ended waits for ever. It gets the most that the process has had instead.
const MEMORY = `
import { getHeapStatistics } from "node:v8";
const rss = () => process.resourceUsage().maxRSS * 1024;
process.memoryUsage = Object.assign(() => {
  const heap = getHeapStatistics();
  return { rss: rss(), heapTotal: heap.total_heap_size, heapUsed: heap.used_heap_size,
    external: heap.external_memory, arrayBuffers: 0 };
}, { rss });
`;

function letWorkersAskForMemory() {
  // A sandbox may leave to its first process what it keeps from those which that starts.
  const asked = spawnSync(process.execPath, ["-e", "process.memoryUsage.rss()"], { stdio: "ignore" });
  if (asked.status === 0) return;
  const given = process.env.NODE_OPTIONS ?? "";
  process.env.NODE_OPTIONS = `${given} --import=data:text/javascript,${encodeURIComponent(MEMORY)}`.trim();
}

async function main() {
  letWorkersAskForMemory();
  process.execArgv = [];
  process.argv = [process.argv[0], "vitest", "run", ...words];
  // Vite writes its bundled configuration into the nearest one, and that of the environment can't be written.
  fs.mkdirSync("node_modules", { recursive: true });
  let vitest;
  try {
    vitest = await import("vitest/node");
  } catch (error) {
    if (error?.code !== "ERR_MODULE_NOT_FOUND") throw error;
    // As a shell says it.
    process.stderr.write("sh: 1: vitest: not found\n");
    process.exit(127);
  }
  const { filter, options } = vitest.parseCLI(["vitest", "run", ...words]);
  const session = await vitest.startVitest("test", filter, { ...options, watch: false });
  const files = [];
  for (const file of session?.state?.getFiles() ?? []) {
    const place = path.relative(process.cwd(), file.filepath);
    const counts = { passed: 0, failed: 0, skipped: 0, todo: 0, failing: [] };
    counted(file, counts, []);
    const broken = file.result?.state === "fail";
    files.push({
      file: place.slice(0, 1000),
      words: filter.filter((name) => file.filepath.includes(name.replace(/^\.\//, ""))),
      ended: true,
      exit_status: broken ? 1 : 0,
      ...counts,
      patched: [],
    });
  }
  await session?.close();
  const code = Number(process.exitCode ?? 0);
  writeSync(reportTo, `${word}\n${stringify({ runner: "vitest", exit_status: code, named: filter, files })}\n`);
  closeSync(reportTo);
  process.exit(code);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
