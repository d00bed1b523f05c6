import { step, workflow } from 'svc/sdk';

const MIB = 1024 * 1024;
const line = 'x'.repeat(1023);

/** Prints without giving the event loop a turn, and returns how much larger its process has become. */
workflow('prints-at-once', async (mib: number) => {
  const before = process.memoryUsage().rss;
  for (let n = 0; n < mib * 1024; n++) console.log(line);
  return (process.memoryUsage().rss - before) / MIB;
});

/** Prints as fast as its steps are recorded. */
workflow('prints-on', async (mib: number) => {
  for (let n = 0; n < mib; n++) await step(`print ${n}`, () => process.stdout.write(`${line}\n`.repeat(1024)));
  return 'printed';
});

workflow('other', async () => 'here');
