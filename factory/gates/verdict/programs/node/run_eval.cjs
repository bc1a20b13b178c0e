// Runs code that a command gives, as `node -e CODE` does, and reports when nothing was left for it to do.
//
// Started as `node -e START -- DESCRIPTORS DETAILS`; `EACH_FILE` is the text of each_file.mjs.

"use strict";

const { spawn } = require("node:child_process");
const { randomBytes } = require("node:crypto");
const fs = require("node:fs");

const [descriptors, details] = process.argv.slice(1);
const { options, words, environment } = JSON.parse(details);
const [wordFrom, reportTo, textFrom] = descriptors.split(",").map(Number);
const word = fs.readFileSync(wordFrom, "latin1");
fs.closeSync(wordFrom);
fs.closeSync(textFrom);

const judge = `data:text/javascript;base64,${Buffer.from(EACH_FILE).toString("base64")}`;
const secret = randomBytes(32).toString("hex");
const child = spawn(process.execPath, [`--import=${judge}`, ...options, ...words], {
  env: { ...process.env, ...environment },
  stdio: ["inherit", "inherit", "inherit", "pipe", "pipe"],
});
const received = [];
let size = 0;
child.stdio[3].on("error", () => {});
child.stdio[3].end(secret);
child.stdio[4].on("error", () => {});
child.stdio[4].on("data", (chunk) => {
  size += chunk.length;
  if (size <= 1_000_000) received.push(chunk);
});
child.on("error", (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
child.on("close", (code, signal) => {
  const text = Buffer.concat(received).toString("utf8");
  if (code === 0 && text.startsWith(`${secret}\n`)) {
    let patched = [];
    try {
      patched = JSON.parse(text.slice(secret.length)).patched.map(String).slice(0, 50);
    } catch {
      patched = ["its report"];
    }
    fs.writeSync(reportTo, `${word}\n${JSON.stringify({ runner: "eval", ended: true, patched })}\n`);
  }
  fs.closeSync(reportTo);
  if (signal) process.kill(process.pid, signal);
  else process.exitCode = code;
});
