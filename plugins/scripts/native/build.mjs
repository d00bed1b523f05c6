// Compiles the native programs into build/<platform>-<arch>/, where there is a compiler. Never fails an install:
// without them the Node fallbacks serve.
import { execFile } from 'node:child_process';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));

const CALL = ['conversation.c', 'client-cli.c', 'client-run.c', 'environment.c', 'reply.c', 'json.c', 'buffer.c'];

/** Sources of each program; `in-shell` is a loadable builtin of bash, `guard` an addon of Node. */
export const PROGRAMS = {
  'verb-client': ['verb-client.c', 'client-host.c', ...CALL],
  'in-shell': ['in-shell.c', 'in-shell-host.c', 'prepared-shell.c', 'pass.c', ...CALL],
  attempt: ['attempt.c'],
  guard: ['guard.c'],
  isolate: ['isolate.c', 'isolate-mounts.c', 'isolate-filter.c'],
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

async function newestSource() {
  const names = (await readdir(here)).filter((name) => name.endsWith('.c') || name.endsWith('.h'));
  const times = await Promise.all([...names, 'build.mjs'].map((name) => changed(join(here, name))));
  return Math.max(...times.map((time) => time ?? 0));
}

async function compile(sources, links, target) {
  const draft = `${target}.${process.pid}.draft`;
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

async function make() {
  const made = { programs: {}, why: undefined };
  if (process.platform !== 'linux') return { ...made, why: `no native programs for ${process.platform}` };
  const folder = join(here, 'build', `${process.platform}-${process.arch}`);
  try {
    const newest = await newestSource();
    for (const [name, sources] of Object.entries(PROGRAMS)) {
      const target = join(folder, name);
      const built = await changed(target);
      if (built === undefined || built < newest) {
        await mkdir(folder, { recursive: true });
        made.why = (await compile(sources, LIBRARIES.has(name) ? LIBRARY : LINKS, target)) ?? made.why;
      }
      if (await changed(target)) made.programs[name] = target;
    }
  } catch (error) {
    made.why = error.message;
  }
  return made;
}

let making;

/**
 * Paths of the native programs, compiled when missing or older than their sources. A missing path could not be
 * compiled.
 */
export function nativePrograms() {
  making ??= make();
  return making;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { why } = await nativePrograms();
  if (why) console.log(`svc: native programs were not compiled (${why}); the slower Node ones serve instead.`);
}
