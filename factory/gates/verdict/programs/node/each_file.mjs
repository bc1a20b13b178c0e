// Stands in the process of one test file, or of code that a command gives: first of all as what is preloaded,
// then as a reporter of node:test.
//
// The word that makes a report ours comes by descriptor 3, the report goes by descriptor 4. A file that does
// not run to its end leaves none. What the file replaces of its judge is named.

import assert from "node:assert";
import { EventEmitter } from "node:events";
import fs from "node:fs";
import process from "node:process";
import { Readable } from "node:stream";
import test from "node:test";

const { closeSync, readSync, writeSync } = fs;
const { stringify } = JSON;
const { getOwnPropertyDescriptor, ownKeys } = Reflect;
const { from, byteLength } = Buffer;
const LONGEST_NAME = 500;
const MOST_NAMES = 50;

const word = (() => {
  const buffer = Buffer.alloc(100);
  const size = readSync(3, buffer, 0, buffer.length, null);
  closeSync(3);
  return buffer.toString("latin1", 0, size);
})();

const judges = [
  ["assert", assert],
  ["assert.strict", assert.strict],
  ["test", test],
  ["test.mock", test.mock],
  ["Readable.prototype", Readable.prototype],
  ["EventEmitter.prototype", EventEmitter.prototype],
  ["console.assert", console, "assert"],
].flatMap(([name, object, only]) =>
  ownKeys(object)
    .filter((key) => typeof key === "string" && (only === undefined || key === only))
    .map((key) => [only === undefined ? `${name}.${key}` : name, object, key, getOwnPropertyDescriptor(object, key)])
    .filter(([, , , descriptor]) => "value" in descriptor),
);

function patched() {
  const names = [];
  for (let number = 0; number < judges.length; number++) {
    const [name, object, key, before] = judges[number];
    const now = getOwnPropertyDescriptor(object, key);
    if (now === undefined || now.value !== before.value) names[names.length] = name;
  }
  for (const [name, object] of [["Object", Object.prototype], ["Array", Array.prototype]]) {
    if ("toJSON" in object) names[names.length] = `${name}.prototype.toJSON`;
  }
  return names.slice(0, MOST_NAMES);
}

let handed = false;

function handOver(counts) {
  if (handed) return;
  handed = true;
  const text = from(`${word}\n${stringify({ ...counts, patched: patched() })}\n`);
  let written = 0;
  while (written < byteLength(text)) written += writeSync(4, text, written);
  closeSync(4);
}

const counts = { passed: 0, failed: 0, skipped: 0, todo: 0, failing: [] };
let begun = false;

// A file without tests has ended when nothing is left to do.
process.on("beforeExit", () => {
  if (!begun) handOver(counts);
});

export default async function* report(events) {
  begun = true;
  const names = [];
  for await (const { type, data } of events) {
    if (type === "test:start") {
      names.length = data.nesting;
      names[data.nesting] = data.name;
    }
    // A suite passes and fails by its tests.
    if ((type !== "test:pass" && type !== "test:fail") || data.details?.type === "suite") continue;
    if (data.skip !== undefined) counts.skipped += 1;
    else if (data.todo !== undefined) counts.todo += 1;
    else if (type === "test:pass") counts.passed += 1;
    else {
      counts.failed += 1;
      const name = [...names.slice(0, data.nesting), data.name].join(" > ").slice(0, LONGEST_NAME);
      if (counts.failing.length < MOST_NAMES) counts.failing.push(name);
    }
  }
  handOver(counts);
}
