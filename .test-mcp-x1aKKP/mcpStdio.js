"use strict";
var __create = Object.create;
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __getProtoOf = Object.getPrototypeOf;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toESM = (mod, isNodeMode, target) => (target = mod != null ? __create(__getProtoOf(mod)) : {}, __copyProps(
  // If the importer is in node compatibility mode or this is not an ESM
  // file that has been converted to a CommonJS file using a Babel-
  // compatible transform (i.e. "__esModule" has not been set), then set
  // "default" to the CommonJS "module.exports" for node compatibility.
  isNodeMode || !mod || !mod.__esModule ? __defProp(target, "default", { value: mod, enumerable: true }) : target,
  mod
));

// src/tools/mcp/stdio.ts
var import_node_events = require("node:events");
var fs = __toESM(require("node:fs"));
var net = __toESM(require("node:net"));
var path = __toESM(require("node:path"));
var folder = __dirname;
var preferred = `${process.argv[2] ?? ""}.json`;
var asked = /* @__PURE__ */ new Set();
var socket;
var isOver = false;
function records() {
  const found = fs.readdirSync(folder).filter((name) => /^[\da-f]+\.json$/.test(name));
  const focusedAt = (name) => fs.statSync(path.join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const ranked = found.map((name) => ({ name, rank: name === preferred ? Infinity : focusedAt(name) }));
  return ranked.sort((one, other) => other.rank - one.rank).map(({ name }) => path.join(folder, name));
}
async function connect2() {
  for (const record of records()) {
    let address = "";
    try {
      const stored = JSON.parse(fs.readFileSync(record, "utf8"));
      address = stored["address"] ?? "";
      const made = net.connect(address);
      await (0, import_node_events.once)(made, "connect");
      made.write(`${stored["token"] ?? ""}
`);
      hear(made);
      return made;
    } catch (error) {
      const { code } = error;
      if (code !== "ECONNREFUSED" && code !== "ENOENT") continue;
      for (const file of [record, address]) fs.rmSync(file, { force: true });
    }
  }
  return void 0;
}
async function forward(line) {
  const { id, method } = read(line);
  if (id !== void 0 && method !== void 0) asked.add(id);
  socket ??= await connect2();
  if (socket !== void 0) socket.write(`${line}
`);
  else refuse("No window of the editor with Agent Console is open on this machine. Open one and ask again.");
}
function hear(from) {
  lines(from, (line) => {
    const { id, method } = read(line);
    process.stdout.write(`${line}
`);
    if (method === void 0) asked.delete(id);
    endWhenDone();
  });
  from.on("error", () => from.destroy());
  from.on("close", () => {
    socket = void 0;
    refuse(
      "The window of the editor has closed, so what it did is not known. Ask again: another one answers."
    );
  });
}
function refuse(message) {
  for (const id of asked)
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32e3, message } })}
`);
  asked.clear();
  endWhenDone();
}
function endWhenDone() {
  if (isOver && asked.size === 0) socket?.end();
}
function read(line) {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}
function lines(from, take) {
  let rest = [];
  from.setEncoding("utf8").on("data", (text) => {
    const parts = text.split("\n");
    if (parts.length === 1) return void rest.push(text);
    const [first = "", ...others] = parts;
    const last = others.pop() ?? "";
    for (const line of [rest.join("") + first, ...others]) if (line.trim() !== "") take(line);
    rest = [last];
  });
}
var work = Promise.resolve();
var next = (act) => work = work.then(act);
lines(process.stdin, (line) => void next(() => forward(line)));
process.stdin.on("end", () => {
  void next(() => {
    isOver = true;
    endWhenDone();
  });
});
process.stdout.on("error", () => process.exit());
