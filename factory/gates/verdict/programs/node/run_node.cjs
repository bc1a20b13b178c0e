// Runs the files that `node --test` runs, each in a process of its own, and reports how each of them ended.
//
// Nothing of the checkout is loaded in this process: what a command preloads is preloaded beside the tests.
// Started as `node -e START -- DESCRIPTORS DETAILS`; `EACH_FILE` is the text of each_file.mjs.

"use strict";

const { spawn } = require("node:child_process");
const { randomBytes } = require("node:crypto");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const LONGEST_OUTPUT = 4_000_000;
const LONGEST_REPORT = 1_000_000;
const OLDEST = 20;
const IS_TEST = /^(?:test|test-.+|.*[._-]test)$/;

const [descriptors, details] = process.argv.slice(1);
const { options, words, environment, reporter } = JSON.parse(details);
const [wordFrom, reportTo, textFrom] = descriptors.split(",").map(Number);
const word = fs.readFileSync(wordFrom, "latin1");
fs.closeSync(wordFrom);
fs.closeSync(textFrom);

const major = Number(process.versions.node.split(".")[0]);
const readsTypes = Boolean(process.features.typescript) || options.some((option) => /strip-types|transform-types/.test(option));
const isSource = readsTypes ? /\.[cm]?[jt]s$/ : /\.[cm]?js$/;

// As node --test looks for them.
function found(folder, inTests) {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const place = path.join(folder, entry.name);
      if (entry.isDirectory()) {
        const left = entry.name === "node_modules" || entry.name === ".git";
        return left ? [] : found(place, inTests || entry.name === "test");
      }
      if (!entry.isFile() || !isSource.test(entry.name) || /\.d\.[cm]?ts$/.test(entry.name)) return [];
      return inTests || IS_TEST.test(path.parse(entry.name).name) ? [place] : [];
    });
}

function chosen() {
  const root = process.cwd();
  if (words.length === 0) return found(root, path.basename(root) === "test").map((file) => ({ file, named: [] }));
  const files = new Map();
  for (const named of words) {
    const place = path.resolve(named);
    const kind = fs.statSync(place, { throwIfNoEntry: false });
    let these = [];
    if (kind?.isFile()) these = [place];
    else if (kind?.isDirectory()) these = found(place, path.basename(place) === "test");
    else if (fs.globSync) these = fs.globSync(named, { exclude: (name) => name === "node_modules" }).map((name) => path.resolve(name)).sort();
    if (these.length === 0) {
      process.stderr.write(`Could not find '${named}'\n`);
      process.exit(1);
    }
    for (const file of these) {
      if (!files.has(file)) files.set(file, { file, named: [] });
      files.get(file).named.push(named);
    }
  }
  return [...files.values()];
}

const count = (value) => (Number.isInteger(value) && value >= 0 ? value : 0);
const texts = (value) => (Array.isArray(value) ? value.filter((text) => typeof text === "string").slice(0, 50).map((text) => text.slice(0, 500)) : []);

// What a file's process has handed over; nothing if it is not the one we have started, or not whole.
function parsed(received, secret) {
  const text = Buffer.concat(received).toString("utf8");
  if (!text.startsWith(`${secret}\n`) || !text.endsWith("\n")) return null;
  try {
    const report = JSON.parse(text.slice(secret.length));
    return report !== null && typeof report === "object" ? report : null;
  } catch {
    return null;
  }
}

function ran({ file, named }) {
  return new Promise((resolve) => {
    const secret = randomBytes(32).toString("hex");
    const child = spawn(process.execPath, [...reporting, ...options, file], {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
    });
    const printed = [];
    const received = [];
    const kept = (into, most) => {
      let size = 0;
      return (chunk) => {
        size += chunk.length;
        if (size <= most) into.push(chunk);
      };
    };
    const keep = kept(printed, LONGEST_OUTPUT);
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.stdio[3].on("error", () => {});
    child.stdio[3].end(secret);
    child.stdio[4].on("error", () => {});
    child.stdio[4].on("data", kept(received, LONGEST_REPORT));
    child.on("error", (error) => printed.push(Buffer.from(`${error.message}\n`)));
    child.on("close", (code, signal) => {
      const report = parsed(received, secret);
      if (signal) printed.push(Buffer.from(`${path.relative(".", file)} was ended by ${signal}\n`));
      for (const chunk of printed) process.stdout.write(chunk);
      resolve({
        file: path.relative(".", file).slice(0, 1000),
        words: named,
        ended: report !== null,
        exit_status: code,
        passed: count(report?.passed),
        failed: count(report?.failed),
        skipped: count(report?.skipped),
        todo: count(report?.todo),
        failing: texts(report?.failing),
        patched: texts(report?.patched),
      });
    });
  });
}

async function main() {
  if (major < OLDEST) {
    process.stderr.write(`Node.js ${OLDEST} or newer is needed to judge node --test, and this is ${process.version}\n`);
    process.exit(1);
  }
  const files = chosen();
  const reports = new Array(files.length);
  let next = 0;
  const worker = async () => {
    while (next < files.length) {
      const number = next++;
      reports[number] = await ran(files[number]);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, os.availableParallelism() - 1) }, worker));
  const passed = reports.every((report) => report.exit_status === 0);
  const text = JSON.stringify({ runner: "node", exit_status: passed ? 0 : 1, named: words, files: reports });
  fs.writeSync(reportTo, `${word}\n${text}\n`);
  fs.closeSync(reportTo);
  process.exitCode = passed ? 0 : 1;
}

const judge = `data:text/javascript;base64,${Buffer.from(EACH_FILE).toString("base64")}`;
const reporting = [
  `--import=${judge}`,
  `--test-reporter=${reporter}`,
  "--test-reporter-destination=stdout",
  `--test-reporter=${judge}`,
  "--test-reporter-destination=stderr",
];
main();
