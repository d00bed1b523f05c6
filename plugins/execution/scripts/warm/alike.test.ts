import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import t, { type Test } from 'tap';
import { Activity, until } from '../../../../test/kit/index.ts';
import { nativePrograms } from '../native/build.mjs';
import { BASH_SIGHTS } from './testing/bash-sights.ts';
import { NODE_SIGHTS, PYTHON_SIGHTS } from './testing/sights.ts';
import { openWarmBench, type WarmBench } from './testing/warm-bench.ts';
import { lacking } from '../../../../test/kit/needs.ts';

const { why } = await nativePrograms();
const prepared = lacking('cc', why);
/** Not the wrapper that a machine may have in its place; empty where there is none. */
const python = (
  spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout ?? ''
).trim();
const with_python = lacking('python3', python === '');
const environment = { workflow: { OF_THE_JOB: 'ä=b', EMPTY: '' } };

/** All that came of one run. */
async function play(bench: WarmBench, filename: string, source: string) {
  const activity = new Activity();
  const end = await bench.finish(activity, { filename, source, environment });
  const same = (text: string) =>
    text
      .replaceAll(bench.runtime_dir, '<agent>')
      .replace(/\/p[0-9a-f]{12}\//g, '/<pass>/')
      .replace(/\(node:\d+\)/g, '(node:<pid>)')
      .replace(/0x[0-9a-f]{6,}/g, '<address>')
      .replace(/\/tmp\/tmp\w{8}/g, '<temporary>')
      .replace(/MainThread, started \d+/g, 'MainThread');
  return {
    end: JSON.parse(same(JSON.stringify(end))),
    out: same(activity.text()).split('\n'),
    err: same(activity.text('stderr')).split('\n'),
    journal: activity.journal.map(({ output, ...record }) => ({
      ...record,
      started_at: 0,
      output: same(Buffer.from(output, 'base64').toString()),
    })),
  };
}

/** The first run of a name starts its interpreter, the next one finds one that waits. */
async function alike(t: Test, filename: string, source: string, cold: WarmBench, warm: WarmBench) {
  const first = await play(warm, filename, source);
  await until(() => warm.prepared(filename) > warm.used(), { what: `an interpreter waits for ${filename}` });
  const used = warm.used();
  const again = await play(warm, filename, source);
  t.ok(warm.used() > used, 'it was the one that waited');
  const started = await play(cold, filename, source);
  t.strictSame(again, started);
  t.strictSame(first, started);
}

for (const [language, sights] of Object.entries({ node: NODE_SIGHTS, python: PYTHON_SIGHTS, bash: BASH_SIGHTS }))
  t.test(
    `a script sees no difference: ${language}`,
    { ...prepared, ...(language === 'python' ? with_python : {}) },
    async (t) => {
      const env = { ...process.env, PATH: `${dirname(python || '/usr/bin/python3')}:/usr/bin:/bin` };
      const cold = await openWarmBench(t, { env, warm: false });
      // An agent each: in one, not all of these names have room after one run.
      for (const [filename, source] of Object.entries(sights))
        await t.test(filename, async (t) => alike(t, filename, source, cold, await openWarmBench(t, { env })));
      t.equal(cold.used(), 0);
    },
  );
