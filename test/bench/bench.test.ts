import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { figures } from './figures/index.ts';
import type { Report } from './report.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, 'bench.ts');

t.test('a quick run measures what was asked for, beside its floors', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'report.json');
  const args = [program, '--quick', '--only', 'version,submit', '--json', file];
  const { stdout } = await run(process.execPath, args);
  const { at, quick, machine, rows } = JSON.parse(await readFile(file, 'utf8')) as Report;
  t.ok(quick);
  t.equal(new Date(at).toISOString(), at);
  t.match(machine, { cores: Number, cpu: String, node: process.version });
  t.strictSame(
    rows.map(({ name, unit, goal }) => [name, unit, goal]),
    [
      ['submit', 'ms', '≤ 3 ×'],
      ['submit', 'ms', '≤ 10 ×'],
      ['version', 'ms', '≤ 2.5 ×'],
    ],
  );
  for (const row of rows) {
    t.ok(row.ours > 0 && row.floor !== null && row.floor > 0 && row.done > 0, row.figure);
    t.ok(Math.abs(row.ratio! - row.ours / row.floor!) < 0.01 * row.ratio!, 'the ratio is of the two');
    t.type(row.met, 'boolean');
    t.match(stdout, row.figure, 'it is in the table');
  }
});

t.test('a figure that there is not is refused with the list of those that there are', async (t) => {
  const refusal = await t.rejects(run(process.execPath, [program, '--only', 'nonsense']), { code: 2 });
  const { stderr } = refusal as unknown as { stderr: string };
  for (const { name } of figures) t.match(stderr, name);
});
