// Loading two thousand modules one by one takes seconds, and one file that contains them a fraction of that. In a clone, the file is built
// from the sources whenever they differ from those that it was built from. Every start compares them, so nobody has to think of
// it. The package contains its own file.
import { ownCache, belongsToUser } from '../../kernel/contracts/own-cache.mjs';
import { entries, fileOf } from './entries.mjs';
import { compare } from './listing.mjs';
import { mapStacksToSources } from './positions.mjs';
import { removePartials, replaceFile } from './replace-file.mjs';

// An import of a built-in module evaluates everything that it exports, which each command would pay for.
const { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } =
  process.getBuiltinModule('node:fs');
const { createRequire } = process.getBuiltinModule('node:module');
const { dirname, join, resolve } = process.getBuiltinModule('node:path');
const { pathToFileURL } = process.getBuiltinModule('node:url');
const { Script } = process.getBuiltinModule('node:vm');

const home = resolve(import.meta.dirname, '../..');
/** A clone has the sources, the package what was built from them. */
const inClone = existsSync(join(home, 'cli/run.ts'));
const ending = inClone ? 'ts' : 'js';
const folder = inClone ? cloneFolder() : join(home, 'cli');

/**
 * Where the files of a clone are: below its node_modules, which several clones may share. Where others may write to it, or where it
 * belongs to somebody else, they are in the cache of the user; undefined if there is none.
 */
function cloneFolder() {
  const shared = join(home, 'node_modules/.cache/svc', shortHash(home));
  try {
    if (belongsToUser(shared)) return shared;
  } catch {
    // One of its parents cannot be examined.
  }
  const own = ownCache('prebuilt');
  return own && join(own, shortHash(home));
}

/** In a clone, only the command line uses prebuilt files. A test that boots a kernel shares the modules of the sources with it. */
let enabled = !inClone;
const loaded = new Map();

/** Loads the commands: `{ main }`. From here on, the process uses the prebuilt kernel too. */
export async function loadCommands(word = '') {
  if (inClone && isObserved()) return await import(`../run.${ending}`);
  enabled = true;
  return moduleOf('commands', /^[a-z-]{1,20}$/.test(word) ? word : '') ?? (await import(`../run.${ending}`));
}

/**
 * Whether this process has a debugger, a profiler or coverage. These are of use with the modules of the sources only.
 */
const isObserved = () =>
  process.env.NODE_V8_COVERAGE !== undefined ||
  [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((options) => OBSERVERS.test(options));

const OBSERVERS = /(^|\s)--(inspect|cpu-prof|heap-prof|heapsnapshot)/;

/** Loads the kernel and all plugins, not evaluated yet. What a role compiles is stored for the next start in this role. */
export async function loadKernel(role) {
  return moduleOf('kernel', role) ?? (await import(`../../kernel/boot/index.${ending}`));
}

/** What an outside plugin imports as `svc/<name>`, if it is part of a prebuilt file. */
export function publishedBy(specifier) {
  const file = fileOf(specifier, ending);
  if (file === undefined) return undefined;
  return moduleOf(file, file === 'kernel' ? 'local' : '')?.published[specifier]?.();
}

const runtime = { loadKernel, publishedBy, storeCompiled, load: (address) => import(address) };

/** The exports of a current prebuilt file; undefined if the sources have to be loaded. The answer stays the same in a process. */
function moduleOf(name, variant) {
  if (!enabled) return undefined;
  if (!loaded.has(name)) loaded.set(name, load(name, variant));
  return loaded.get(name);
}

const files = new Map();
const DIGEST_CHARACTERS = 64;
/** The digest of its sources, with which a file ends. */
const digestOf = (bytes) => bytes.latin1Slice(bytes.length - DIGEST_CHARACTERS);

function load(name, variant) {
  if (folder === undefined) return undefined;
  const path = join(folder, `${name}.js`);
  const bytes = inClone ? currentFile(name, path) : readFileSync(path);
  if (bytes === undefined) return undefined;
  const digest = digestOf(bytes);
  const cache = compiledFile(name, variant);
  const cachedData = cache && readCompiled(cache, digest);
  const script = new Script(bytes.latin1Slice(), { filename: path, cachedData });
  if (cache && (cachedData === undefined || script.cachedDataRejected)) storeLater(cache, digest, variant, script);
  if (files.size === 0) mapStacksToSources(home, files);
  files.set(path, digest);
  const module = { exports: {} };
  const require = createRequire(join(home, 'package.json'));
  const meta = { url: pathToFileURL(path).href, dirname: folder, filename: path };
  script.runInThisContext()(module, require, home, pathToFileURL(home).href, meta, runtime);
  return module.exports;
}

/** Where the compiled code of a file is stored: all functions that a start needs, and not only those that Node would store. */
function compiledFile(name, variant) {
  const cache = inClone ? folder : ownCache('compiled');
  if (cache === undefined) return undefined;
  // Only processes with the same flags can use it. V8 itself rejects the code of another version.
  const flags = shortHash([process.version, ...process.execArgv, process.env.NODE_OPTIONS].join(' '));
  return join(cache, `${inClone ? '' : `${shortHash(home)}-`}${name}-${variant}-${flags}${COMPILED}`);
}

const COMPILED = '.compiled';

/** A hash for names of files. What is in a file is compared with a cryptographic digest. */
function shortHash(text) {
  let sum = 0;
  for (let index = 0; index < text.length; index += 1) sum = (Math.imul(sum, 31) + text.charCodeAt(index)) >>> 0;
  return sum.toString(36);
}

function readCompiled(path, digest) {
  if (!existsSync(path)) return undefined;
  const bytes = readFileSync(path);
  return bytes.latin1Slice(0, DIGEST_CHARACTERS) === digest ? bytes.subarray(DIGEST_CHARACTERS) : undefined;
}

const pending = new Map();
/** Commands that call `storeCompiled` when they are ready. If one of them fails before that, it has compiled too little. */
const SERVING = new Set(['serve', 'server', 'dev', 'agent']);
/**
 * The first word of a command line has a file of 0.7 MB, a role one of 5 MB. There are 70 words, and more with plugins and
 * misspelled ones: with a limit below that, a machine that uses them all, as one that runs the tests does, would compile some of
 * them again and again, and first of all the roles, which are the oldest.
 */
const MAX_COMPILED = 120;

function storeLater(path, digest, variant, script) {
  if (pending.size === 0) process.once('exit', () => storeCompiled((one) => !SERVING.has(one)));
  pending.set(path, { digest, variant, script });
}

/** Stores what was compiled so far for the next start. svc works without the cache if it cannot be written. */
export function storeCompiled(isReady = () => true) {
  for (const [path, { digest, variant, script }] of pending) {
    if (!isReady(variant)) continue;
    pending.delete(path);
    if (!existsSync(path)) removeOldest(dirname(path));
    store(path, digest, script.createCachedData());
  }
}

/** The next start takes longer if it cannot be stored. */
function store(path, ...chunks) {
  try {
    replaceFile(path, ...chunks);
  } catch {
    // The disk is full, for example.
  }
}

/** Makes space for one more file. */
function removeOldest(cache) {
  try {
    removePartials(cache);
    const compiled = readdirSync(cache).filter((name) => name.endsWith(COMPILED));
    if (compiled.length < MAX_COMPILED) return;
    const byAge = compiled
      .map((name) => ({ path: join(cache, name), at: statSync(join(cache, name)).mtimeMs }))
      .sort((a, b) => a.at - b.at);
    for (const { path } of byAge.slice(0, compiled.length - MAX_COMPILED + 1)) rmSync(path, { force: true });
  } catch {
    // Another process removes them too.
  }
}

/** The file if it was built from what is here now. Builds it if it was not. */
function currentFile(name, path) {
  try {
    return listedFile(name, path) ?? (build(name) ? listedFile(name, path) : undefined);
  } catch {
    // The disk is full, or the clone cannot be written: the sources are loaded.
    return undefined;
  }
}

/** Undefined if the file or its listing is missing or damaged too: it is built again then. */
function listedFile(name, path) {
  try {
    const listed = join(folder, `${name}.json`);
    if (!existsSync(listed)) return undefined;
    const listing = JSON.parse(readFileSync(listed, 'utf8'));
    const { same, renewed } = compare(home, entries[name](home, 'ts'), listing);
    if (!same) return undefined;
    const bytes = readFileSync(path);
    // Another start may have replaced the file meanwhile with one of other sources.
    if (digestOf(bytes) !== listing.digest) return undefined;
    if (renewed) store(listed, JSON.stringify(renewed));
    return bytes;
  } catch {
    return undefined;
  }
}

/** One start builds the file; others load the sources meanwhile. */
function build(name) {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const lock = join(folder, `${name}.lock`);
  if (!acquire(lock)) return false;
  try {
    const program = join(import.meta.dirname, 'build.mjs');
    // It needs nothing else of the environment, which may contain a master key.
    const env = { PATH: process.env.PATH };
    // Seldom needed, and slow to load.
    const { spawnSync } = process.getBuiltinModule('node:child_process');
    const built = spawnSync(process.execPath, [program, name, folder], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
      timeout: MAX_BUILD_MS,
    });
    if (built.status !== 0 && built.status !== CHANGED) report(reasonOf(built));
    return built.status === 0;
  } finally {
    rmSync(lock, { force: true });
  }
}

/** The exit status of build.mjs if the sources changed meanwhile. */
const CHANGED = 3;

/** Before the message of an error that it did not expect, Node prints a line of its own code. */
function reasonOf({ error, signal, stderr }) {
  if (error?.code === 'ETIMEDOUT') return `it took more than ${MAX_BUILD_MS / 1000} seconds`;
  if (error) return error.message;
  if (signal) return `${signal} ended it`;
  const lines = stderr.trim().split('\n');
  return lines.find((line) => /^\w*Error\b.*: /.test(line)) ?? lines[0];
}

const report = (reason) =>
  process.stderr.write(`svc: starts are slow, because the sources cannot be built into one file: ${reason}\n`);

const MAX_BUILD_MS = 120_000;

function acquire(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    // The next start builds it.
    if (!isActive(lock)) rmSync(lock, { force: true });
    return false;
  }
}

/** Whether the process that acquired the lock still runs. After a restart of the machine, another one may have its number. */
function isActive(lock) {
  const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  if (since === undefined || Date.now() - since > MAX_BUILD_MS) return false;
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
