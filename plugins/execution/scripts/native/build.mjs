// Compiles the native programs into build/<platform>-<arch>/, or into the cache of the user, where there is a compiler. Never
// fails an install: without them the Node fallbacks serve.
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isOwnFolder, ownCache } from '../../../../kernel/contracts/own-cache.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));

const CALL = ['conversation.c', 'client-cli.c', 'client-run.c', 'environment.c', 'reply.c', 'json.c', 'buffer.c'];

/** Sources of each program; `in-shell` is a loadable builtin of bash, `guard` an addon of Node. */
export const PROGRAMS = {
  'verb-client': ['verb-client.c', 'client-host.c', ...CALL],
  'in-shell': ['in-shell.c', 'in-shell-host.c', 'prepared-shell.c', 'pass.c', ...CALL],
  attempt: ['attempt.c'],
  guard: ['guard.c'],
  isolate: ['isolate.c', 'isolate-mounts.c', 'isolate-filter.c', 'isolate-network.c'],
  spawner: ['spawner.c', 'jobs.c', 'keeper.c', 'frames.c', 'buffer.c'],
};

const FLAGS = ['-std=gnu11', '-O2', '-ffunction-sections', '-fdata-sections', '-Wl,--gc-sections', '-Wl,-s'];
/** Static first: it starts twice as fast. Some machines have no static C library. */
const LINKS = [['-static', '-no-pie'], ['-static'], []];
/**
 * All its symbols are private, because bash's own would win. A bash without a needed symbol does not load it. It stays loaded
 * after `enable -d svc`, because bash calls it for `type` and `command` too.
 */
const LIBRARY = [['-shared', '-fPIC', '-fvisibility=hidden', '-Wl,-Bsymbolic', '-Wl,-z,now', '-Wl,-z,nodelete']];
const LIBRARIES = new Set(['in-shell', 'guard']);
const COMPILERS = ['cc', 'gcc', 'clang'];

/** Runs a program. Undefined when it exits with 0, otherwise the reason. */
function run(program, args) {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: here, timeout: 60_000 }, (error, _stdout, stderr) =>
      resolve(
        error
          ? (stderr
              .trim()
              .split('\n')
              .find((line) => line.includes('error')) ?? error.message)
          : undefined,
      ),
    );
  });
}

async function changed(file) {
  try {
    return (await stat(file)).mtimeMs;
  } catch {
    return undefined;
  }
}

async function sourceFiles() {
  const names = (await readdir(here)).filter((name) => name.endsWith('.c') || name.endsWith('.h'));
  return [...names, 'build.mjs'].sort();
}

async function newestSource() {
  const times = await Promise.all((await sourceFiles()).map((name) => changed(join(here, name))));
  return Math.max(...times.map((time) => time ?? 0));
}

/** One home may serve machines with different C libraries: the libraries among the programs run with one of them only. */
function library() {
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime === undefined ? 'other' : 'glibc';
}

/**
 * A folder of the user alone, for these sources: where the package cannot be written to, or others can write to it. Its name says
 * what was compiled, so that nothing in it is ever older than the sources.
 */
async function cacheFolder() {
  const cache = ownCache('native');
  if (cache === undefined) return undefined;
  const hash = createHash('sha256');
  for (const name of await sourceFiles()) hash.update(`${name}\0`).update(await readFile(join(here, name)));
  return join(cache, `${process.platform}-${process.arch}-${library()}-${hash.digest('hex').slice(0, 32)}`);
}

/** Others could put a program of theirs in place of one that an agent runs. */
async function mayWriteHere() {
  try {
    await access(here, constants.W_OK);
    return isOwnFolder(here);
  } catch {
    return false;
  }
}

async function compile(sources, links, target) {
  // Several processes may compile at once, in containers with the same ids; each puts a whole program in place.
  const draft = `${target}.${randomUUID()}.draft`;
  let why = 'no C compiler (cc, gcc or clang)';
  try {
    for (const compiler of COMPILERS) {
      if ((await run(compiler, ['--version'])) !== undefined) continue;
      for (const link of links) {
        const fault = await run(compiler, [...FLAGS, ...link, ...sources, '-o', draft]);
        if (fault === undefined) return await rename(draft, target);
        why = `${compiler}: ${fault}`;
      }
    }
    return why;
  } finally {
    await rm(draft, { force: true });
  }
}

/** The programs of a folder, without those that are older than their sources. */
async function present(folder, newest) {
  const programs = {};
  for (const name of Object.keys(PROGRAMS)) {
    const built = await changed(join(folder, name));
    if (built !== undefined && built >= newest) programs[name] = join(folder, name);
  }
  return programs;
}

const isWhole = (programs) => Object.keys(programs).length === Object.keys(PROGRAMS).length;

async function fill(folder, programs) {
  let why;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [name, sources] of Object.entries(PROGRAMS)) {
    if (programs[name] !== undefined) continue;
    const target = join(folder, name);
    const fault = await compile(sources, LIBRARIES.has(name) ? LIBRARY : LINKS, target);
    if (fault === undefined) programs[name] = target;
    else why = fault;
  }
  return why;
}

async function make() {
  const made = { programs: {}, why: undefined };
  if (process.platform !== 'linux') return { ...made, why: `no native programs for ${process.platform}` };
  const packaged = join(here, 'build', `${process.platform}-${process.arch}`);
  try {
    made.programs = await present(packaged, await newestSource());
    if (isWhole(made.programs)) return made;
    const in_place = await mayWriteHere();
    const cached = in_place ? undefined : await cacheFolder();
    if (in_place) made.why = await fill(packaged, made.programs);
    else if (cached === undefined)
      made.why = 'neither the package nor the cache is a folder that only this user can write to';
    else {
      // Only whole programs are ever put there, and none is older than its sources.
      Object.assign(made.programs, await present(cached, 0));
      made.why = await fill(cached, made.programs);
    }
  } catch (error) {
    made.why = error.message;
  }
  // Outdated ones, such as those of an image that changed the times of files, are better than none.
  made.programs = { ...(await present(packaged, 0)), ...made.programs };
  return made;
}

let making;

/**
 * Paths of the native programs, compiled at first use when they are missing or older than their sources: npm may have run no script at
 * the installation. A missing path could not be compiled.
 */
export function nativePrograms() {
  making ??= make();
  return making;
}

async function printPrograms() {
  const made = await nativePrograms();
  if (process.argv[2] === '--json') console.log(JSON.stringify(made));
  else if (made.why)
    console.log(
      `svc: native programs were not compiled (${made.why}); svc uses the slower Node programs instead. See svc doctor.`,
    );
}

// A module of the server cannot use `await` at its top level, because the prebuilt kernel requires it synchronously.
if (process.argv[1] === fileURLToPath(import.meta.url)) void printPrograms();
