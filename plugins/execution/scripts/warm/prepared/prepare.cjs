'use strict';
// Loaded into a Node.js that was started before its script is known (`--require` in NODE_OPTIONS). It loads what most
// scripts need, waits for the folder and the environment of a pass, leaves no trace of itself and returns: Node then runs
// its main file as if it had just been started. Until the last byte written here, nothing of the script has run.
const fs = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const { isMainThread } = require('node:worker_threads');

/** The socket to the agent: GIVEN_DESCRIPTOR of the spawner. */
const AGENT = 100;
const READY = 'r';
const TAKEN = 't';
const HOOK = 'NODE_OPTIONS';
const SDK = join(__dirname, '../node_modules/svc/sdk');

/** Exactly so many bytes. Without a pass this process ends: the agent has no use for it. */
function read(length) {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const got = fs.readSync(AGENT, bytes, at, length - at, null);
    if (got === 0) process.exit(0);
    at += got;
  }
  return bytes;
}

/** What the wrapper of an interpreter and the interpreter itself have made of the environment that they were given. */
function changesTo(given) {
  const { [HOOK]: hook, ...present } = process.env;
  if (hook !== given.get(HOOK)) throw new Error(`something else sets ${HOOK}`);
  return { present, removed: [...given.keys()].filter((name) => name !== HOOK && !(name in present)) };
}

function pairs(texts) {
  return new Map(texts.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]));
}

/** The environment of the pass, changed as that of the preparation was. */
function environmentOf(given, wanted) {
  const { present, removed } = changesTo(given);
  const env = new Map(wanted);
  for (const [name, value] of Object.entries(present)) {
    const before = given.get(name);
    if (value === before) continue;
    const put = before !== undefined && value.endsWith(before) ? value.slice(0, value.length - before.length) : undefined;
    env.set(name, put !== undefined && env.has(name) ? put + env.get(name) : value);
  }
  for (const name of removed) env.delete(name);
  return env;
}

/** Loads the ways in which Node loads scripts, and the SDK. None of it stays where a script could come across it. */
function warmUp() {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  const caches = [require.cache, Module._pathCache];
  const known = caches.map((cache) => new Set(Object.keys(cache)));
  if (/\.m?ts$/i.test(process.argv[1])) for (const name of ['warm.ts', 'warm.mts']) require(join(__dirname, name));
  else require(join(__dirname, 'warm.mjs'));
  require(join(SDK, 'sdk.mjs'));
  const sdk = require(join(SDK, 'turns.mjs'));
  for (const [at, cache] of caches.entries())
    for (const name of Object.keys(cache)) if (!known[at].has(name)) delete cache[name];
  process.emitWarning = emitWarning;
  return sdk;
}

function becomeThePass(sdk) {
  fs.writeSync(AGENT, READY);
  const [cwd, count, ...texts] = read(read(4).readUInt32LE(0)).toString().split('\0');
  const given = pairs(texts.slice(0, Number(count)));
  const env = environmentOf(given, pairs(texts.slice(Number(count))));
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of env) process.env[name] = value;
  Object.assign(sdk.ownState, sdk.environment());
}

/** Worker threads load this again, because the options of their process are theirs. */
function forget() {
  process._preload_modules.splice(0, 1);
  delete require.cache[__filename];
  for (const [key, file] of Object.entries(Module._pathCache)) if (file === __filename) delete Module._pathCache[key];
}

forget();
if (isMainThread) {
  becomeThePass(warmUp());
  fs.writeSync(AGENT, TAKEN);
  fs.closeSync(AGENT);
}
