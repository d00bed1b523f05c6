// An agent for a test to kill: prints the processes that wait for their scripts, and stays.
import { randomBytes } from 'node:crypto';
import { openBench } from '../../executor/testing/host.ts';
import { waiting } from './waiting.ts';
import { Activity, RecordingLog, systemClock as clock, until } from '../../../../../test/kit/index.ts';

const log = new RecordingLog();
const bench = await openBench({
  clock,
  log,
  ids: { next: (prefix) => `${prefix}_1`, bytes: (count) => randomBytes(count) },
});
for (const filename of ['job.ts', 'job.py', 'job.sh']) {
  const lines = log.lines.length;
  await bench.finish(new Activity(), { filename, source: '' });
  await until(() => log.lines.length > lines);
}
process.stdout.write(`${bench.runtime_dir} ${waiting(bench).join(' ')}\n`);
setInterval(() => undefined, 1000);
