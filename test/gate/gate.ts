import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ownCache } from '../../cli/own-cache.mjs';
import { count, type Counted } from './count.ts';
import { type GateDatabase, openDatabases } from './databases.ts';
import { memoryFolder } from './memory-folder.ts';

/** One part of the gate: a program, how its output is counted, and on which databases it runs. */
interface Part {
  name: string;
  command: readonly string[];
  /** `checks` count as one passed or failed; the others print totals of their own. */
  counts: 'check' | 'tap' | 'cucumber';
  env?: Record<string, string>;
}

/** For a machine that is several times slower than the one this was set on; a part that hangs is ended all the same. */
const BOUND_MS = 60 * 60_000;

/** Of the features of a store, each with a server and a database of its own: one alone waits much of its time. */
const SHARES = 2;

function parts(databases: readonly GateDatabase[], only: string | undefined): Part[] {
  const checks: Part[] = [
    { name: 'format', command: ['biome', 'format', '.'], counts: 'check' },
    { name: 'lint', command: ['biome', 'lint', '--error-on-warnings', '.'], counts: 'check' },
    { name: 'types', command: ['tsc', '-p', '.'], counts: 'check' },
    { name: 'types of the console', command: ['tsc', '-p', 'plugins/console/web'], counts: 'check' },
    { name: 'types-aware lint', command: ['oxlint', '--type-aware', '--deny-warnings'], counts: 'check' },
    { name: 'architecture', command: ['depcruise', 'kernel', 'plugins', 'cli', 'features', 'test'], counts: 'check' },
    { name: 'dead code', command: ['knip'], counts: 'check' },
    { name: 'generated files', command: ['node', 'test/tools/generate.ts', '--check'], counts: 'check' },
    { name: 'generated API types', command: ['node', 'test/tools/generate-api.ts', '--check'], counts: 'check' },
    { name: 'rule coverage', command: ['node', 'test/gate/coverage.ts'], counts: 'check' },
  ];
  const mysql = databases.find(({ store }) => store === 'mysql');
  const environment: Record<string, string> = mysql ? { SVC_TEST_MYSQL_URL: mysql.server_url } : {};
  const unit: Part = {
    name: 'unit, conformance and crash tests',
    command: ['node', 'test/gate/tap-files.ts'],
    counts: 'tap',
    env: environment,
  };
  const features = databases.flatMap(({ store, server_url }) =>
    Array.from(
      { length: SHARES },
      (_, share): Part => ({
        name: `features on ${store}, share ${share + 1} of ${SHARES}`,
        command: ['node', 'test/gate/features.ts', store, '--shard', `${share + 1}/${SHARES}`],
        counts: 'cucumber',
        env: store === 'mysql' ? { SVC_TEST_MYSQL_URL: server_url } : {},
      }),
    ),
  );
  const conformance: Part = {
    name: "conformance of an operator's server",
    command: ['node', 'test/gate/conformance.ts'],
    counts: 'cucumber',
  };
  return [...checks, unit, ...features, conformance].filter(({ name }) => only === undefined || name.includes(only));
}

/** Of everything that is started from here on. */
const memory = memoryFolder();
if (memory !== undefined) process.env.TMPDIR = memory.path;
// Whoever interrupts the run gets that memory back.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

/** Hundreds of programs load the same modules: they are compiled once. */
const compiled = ownCache() ?? mkdtempSync(join(tmpdir(), 'svc-compiled-'));
const shared: Record<string, string> = { NODE_COMPILE_CACHE: compiled };

/** One of many files, as it ends: a part of a quarter of an hour is not silent. */
function tellFile(line: string): void {
  if (/^(ok {2}|FAIL) \S+\.ts: /.test(line)) process.stdout.write(`  ${line}\n`);
}

async function runPart(part: Part): Promise<Counted> {
  const [program = '', ...args] = part.command;
  const env = { ...process.env, ...shared, ...part.env };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  if (part.counts === 'tap') createInterface(child.stdout).on('line', tellFile);
  const killer = setTimeout(() => child.kill('SIGKILL'), BOUND_MS);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(killer);
  const text = Buffer.concat(chunks).toString('utf8');
  const counted = count(part.counts, code ?? 1, text);
  const ok = counted.failed === 0;
  if (!ok) process.stdout.write(`${text}\n`);
  for (const line of text.split('\n').filter((one) => /^(left out|rules covered): /.test(one)))
    process.stdout.write(`  ${line}\n`);
  return counted;
}

async function told(part: Part, total: Counted): Promise<void> {
  const start = Date.now();
  const counted = await runPart(part);
  total.passed += counted.passed;
  total.failed += counted.failed;
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  process.stdout.write(
    `${counted.failed === 0 ? 'ok  ' : 'FAIL'} ${part.name}: ${counted.passed} passed, ${counted.failed} failed (${seconds} s)\n`,
  );
}

async function main(): Promise<void> {
  const only = process.argv[2];
  const began = Date.now();
  const databases = await openDatabases();
  const total: Counted = { passed: 0, failed: 0 };
  try {
    const all = parts(databases.open, only);
    for (const part of all.filter(({ counts }) => counts !== 'cucumber')) await told(part, total);
    // Each runs one scenario after the other, and waits for processes much of its time: they share the cores well.
    await Promise.all(all.filter(({ counts }) => counts === 'cucumber').map((part) => told(part, total)));
  } finally {
    await databases.close();
    memory?.remove();
  }
  const minutes = ((Date.now() - began) / 60_000).toFixed(1);
  process.stdout.write(
    `${availableParallelism()} cores, ${minutes} minutes\n${total.passed} passed, ${total.failed} failed\n`,
  );
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
}

await main();
