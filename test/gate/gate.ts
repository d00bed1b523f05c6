import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { ownCache } from '../../kernel/contracts/own-cache.mjs';
import { chromiumPath, serveChromium } from '../../features/support/chromium.ts';
import { changedParts } from './changed.ts';
import { count, type Counted } from './count.ts';
import { openDatabases } from './databases.ts';
import { type LeftOut, lacksOf, table } from './left-out.ts';
import { memoryFolder } from './memory-folder.ts';
import { checks, featureParts, namedParts, type Part, SHARE, templatesPart, unitParts, type Wanted } from './parts.ts';
import { ChildTimes, processorTime } from './processor-time.ts';
import { emptyQueue, tellTimings } from './queue.ts';
import { turnOfCommit } from './scenarios.ts';
import { TapCount } from './tap-part.ts';
import { Timings } from './timings.ts';

const USAGE = `Usage: npm test -- [--long] [--changed [commit]] [name]

  --long               whole what npm test holds a short form of; npm run test:long
  --changed [commit]   what changes since that commit reach (default: the last one, and what is not committed)
  name                 only parts, unit files and feature files whose name holds this text
`;

/** For a machine that is several times slower than the one this was set on; a part that hangs is ended all the same. */
const BOUND_MS = 60 * 60_000;
/** The long run holds the whole gate three times more, on a machine with nothing but a Node (test/bare). */
const LONG_BOUND_MS = 8 * 60 * 60_000;

/** Of a machine that is to have all that tests need (.ci/run): there nothing may be left out. */
const COMPLETE = process.env.SVC_TEST_COMPLETE === '1';

/** Where what makes the next run faster is kept. */
const CACHE = '.tap/gate';

/** Of everything that is started from here on. */
const memory = memoryFolder();
if (memory !== undefined) process.env.TMPDIR = memory.path;
// Whoever interrupts the run gets that memory back.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

interface Asked {
  long: boolean;
  changed?: string;
  name?: string;
}

/** Undefined for what the usage does not allow. */
function readArguments(args: readonly string[]): Asked | undefined {
  const rest = [...args];
  const asked: Asked = { long: false };
  for (let word = rest.shift(); word !== undefined; word = rest.shift())
    if (word === '--long') asked.long = true;
    else if (word === '--changed') asked.changed = rest[0]?.startsWith('-') === false ? rest.shift()! : '';
    else if (!word.startsWith('-') && asked.name === undefined) asked.name = word;
    else return undefined;
  return asked;
}

async function partsOf(asked: Asked, wanted: Wanted): Promise<Part[]> {
  const { name, changed } = asked;
  if (changed !== undefined) {
    const reached = await changedParts(changed, wanted);
    return name === undefined ? reached : reached.filter((part) => part.name.includes(name));
  }
  if (name !== undefined) return namedParts(name, wanted);
  return [...checks(wanted), ...(await unitParts(wanted)), ...featureParts(wanted)];
}

/** Hundreds of programs load the same modules: they are compiled once. */
const compiled = ownCache('compiled') ?? mkdtempSync(join(tmpdir(), 'svc-compiled-'));
const shared: Record<string, string> = { NODE_COMPILE_CACHE: compiled, PATH: pathWithPython() };

/**
 * Some machines have a wrapper in the place of Python, which looks each time for the one that is meant and takes twice as long
 * as that. Ahead of it comes what it finds.
 */
function pathWithPython(path = process.env.PATH ?? ''): string {
  const folders = path.split(delimiter);
  const { stdout } = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
  const found = stdout ? dirname(stdout.trim()) : undefined;
  const wrapper = folders.findIndex((folder) => existsSync(join(folder, 'python3')));
  if (found === undefined || wrapper < 0 || folders[wrapper] === found) return path;
  return folders.toSpliced(wrapper, 0, found).join(delimiter);
}

const tell = (name: string, { passed, failed }: Counted, seconds: string) =>
  process.stdout.write(`${failed === 0 ? 'ok  ' : 'FAIL'} ${name}: ${passed} passed, ${failed} failed${seconds}\n`);

/** One for all that look at pages, which each have cookies and storage of their own in it. */
async function openBrowser(all: readonly Part[]): Promise<() => Promise<void>> {
  const path = chromiumPath();
  const looks = all.some(({ name, counts }) => counts === 'cucumber' || name.startsWith('test/console/'));
  if (path === undefined || !looks) return async () => undefined;
  const server = await serveChromium(path);
  shared.SVC_TEST_BROWSER = server.wsEndpoint();
  return () => server.close();
}

const childTimes = new ChildTimes();

interface Total extends Counted {
  left_out: LeftOut[];
}

interface Ended {
  counted: Total;
  /** Of its processes; undefined where the system does not tell. */
  cpu_seconds: number | undefined;
}

async function runPart(part: Part): Promise<Ended> {
  const [program = '', ...args] = part.command;
  const env = { ...process.env, ...shared, ...part.env };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const tap = part.counts === 'tap' ? new TapCount(({ file, ...counted }) => tell(file, counted, '')) : undefined;
  if (tap) child.stdout.on('data', (chunk: Buffer) => tap.write(chunk));
  const spent = childTimes.of(child);
  const bound = part.env?.SVC_TEST_LONG === '1' ? LONG_BOUND_MS : BOUND_MS;
  const killer = setTimeout(() => child.kill('SIGKILL'), bound);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(killer);
  const cpu_seconds = await spent;
  const text = Buffer.concat(chunks).toString('utf8');
  const totals = tap?.end();
  const counted = count(part.counts, code ?? 1, text, totals);
  if (counted.failed > 0) process.stdout.write(`${text}\n`);
  for (const [line] of text.matchAll(/^rules covered: .*$/gm)) process.stdout.write(`  ${line}\n`);
  const lacks = [...(totals?.left_out ?? []), ...lacksOf(text)];
  const left_out = lacks.map((lack) => ({ part: part.name.replace(/, share .*/, ''), ...lack }));
  return { counted: { ...counted, left_out }, cpu_seconds };
}

/** Answers how long it took. */
async function told(part: Part, total: Total): Promise<{ seconds: number; ok: boolean }> {
  const start = performance.now();
  const { counted, cpu_seconds } = await runPart(part);
  const seconds = (performance.now() - start) / 1000;
  total.passed += counted.passed;
  total.failed += counted.failed;
  total.left_out.push(...counted.left_out);
  tell(
    part.name,
    counted,
    ` (${seconds.toFixed(1)} s${cpu_seconds === undefined ? '' : `, ${cpu_seconds.toFixed(1)} of processor time`})`,
  );
  return { seconds, ok: counted.failed === 0 };
}

async function runAll(all: readonly Part[], timings: Timings, total: Total): Promise<void> {
  const emptied = await emptyQueue(all, {
    // More than there are cores: each waits half of its time, for processes, for the database and for timers.
    workers: Number(process.env.SVC_TEST_WORKERS) || availableParallelism() + 2,
    seconds: (part) => timings.of(part),
    run: async (part) => {
      const { seconds, ok } = await told(part, total);
      if (ok) timings.measured(part, seconds);
    },
  });
  process.stdout.write(`${tellTimings(emptied, ({ name }) => name)}\n`);
}

/** Builds the prebuilt files before hundreds of processes need them. If they cannot be built, tests say why. */
async function buildPrebuilt(): Promise<void> {
  const child = spawn(process.execPath, ['cli/main.mjs', 'plugins'], { stdio: 'ignore' });
  await once(child, 'close');
}

async function main(): Promise<void> {
  const asked = readArguments(process.argv.slice(2));
  if (!asked) {
    process.stderr.write(USAGE);
    process.exitCode = 2;
    return;
  }
  const began = Date.now();
  mkdirSync(CACHE, { recursive: true });
  await buildPrebuilt();
  const databases = await openDatabases();
  const total: Total = { passed: 0, failed: 0, left_out: [...databases.left_out] };
  try {
    const turn = turnOfCommit();
    const folder = mkdtempSync(join(tmpdir(), 'svc-templates-'));
    const apart = asked.name !== undefined && !asked.name.includes(SHARE);
    const all = await partsOf(asked, {
      databases: databases.open,
      long: asked.long,
      turn,
      cache: CACHE,
      folder,
      apart,
    });
    if (all.length === 0 && asked.name !== undefined)
      process.stdout.write(
        `nothing is called "${asked.name}": no part (such as "types" or "features on sqlite"), unit file or feature file\n`,
      );
    if (databases.open.length > 1 && !asked.long && asked.changed === undefined)
      process.stdout.write(`scenarios: on one store each, by the turn of this commit (SVC_TEST_TURN=${turn})\n`);
    const timings = await Timings.open(CACHE);
    // First, and alone: it takes seconds, and what copies the templates would else make its databases by itself.
    if (all.some(({ env }) => env?.SVC_TEST_TEMPLATES)) await told(templatesPart(databases.open, folder), total);
    const closeBrowser = await openBrowser(all);
    try {
      await runAll(all, timings, total);
    } finally {
      await closeBrowser();
    }
    await timings.save();
  } finally {
    await databases.close();
    memory?.remove();
  }
  process.stdout.write(table(total.left_out));
  if (COMPLETE && total.left_out.length > 0) {
    process.stdout.write(
      'What was left out counts as failed, because SVC_TEST_COMPLETE says that this machine has everything.\n',
    );
    total.failed += total.left_out.length;
  }
  const spent = processorTime();
  const cores = `${availableParallelism()} cores, ${((Date.now() - began) / 60_000).toFixed(1)} minutes`;
  process.stdout.write(
    `${cores}${spent === undefined ? '' : `, ${((spent.own + spent.children) / 60).toFixed(1)} of processor time`}\n`,
  );
  process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
}

await main();
