// An agent for a test to kill: prints the processes that wait for their scripts, and stays.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { openBench } from '../../executor/testing/host.ts';
import { Activity, RecordingLog, systemClock as clock, until } from '../../../../test/kit/index.ts';

const log = new RecordingLog();
const bench = await openBench({
  clock,
  log,
  ids: { next: (prefix) => `${prefix}_1`, bytes: (count) => randomBytes(count) },
});
for (const filename of ['job.ts', 'job.py']) {
  const lines = log.lines.length;
  await bench.finish(new Activity(), { filename, source: '' });
  await until(() => log.lines.length > lines);
}
const waiting = readdirSync('/proc').filter((pid) => {
  try {
    return (
      /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[1]?.startsWith(bench.runtime_dir)
    );
  } catch {
    // It has ended meanwhile.
    return false;
  }
});
process.stdout.write(`${bench.runtime_dir} ${waiting.join(' ')}\n`);
setInterval(() => undefined, 1000);
