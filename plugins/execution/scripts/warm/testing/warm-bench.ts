import type { Test } from 'tap';
import type { Ids } from '../../../../../kernel/contracts/index.ts';
import { randomBytes } from 'node:crypto';
import type { PassEnd } from '../../../agents/contract.ts';
import { type Bench, openBench, type Script } from '../../executor/testing/host.ts';
import type { ExecutorDeps } from '../../executor/script-executor.ts';
import { Activity, RecordingLog, systemClock as clock, until } from '../../../../../test/kit/index.ts';

const ids: Ids = { next: (prefix) => `${prefix}_1`, bytes: (count) => randomBytes(count) };
const WAITS = 'an interpreter waits for its next script';
const HAS_RUN = 'a prepared interpreter has run a script';

/** An agent whose prepared interpreters a test can follow. */
export interface WarmBench extends Bench {
  log: RecordingLog;
  /** How many interpreters have come to wait so far, of all names or of one. */
  prepared(filename?: string): number;
  /** How many of them have run a script so far. */
  used(): number;
  /** Runs a script and waits until an interpreter waits for the next one of its name. */
  prime(script: Script): Promise<void>;
  /** One run to its end. */
  run(script: Script): Promise<{ end: PassEnd; out: string; err: string }>;
}

export async function openWarmBench(
  t: Test,
  deps: Partial<ExecutorDeps> & { workdir?: string } = {},
): Promise<WarmBench> {
  const log = new RecordingLog();
  const bench = await openBench({ clock, ids, log, ...deps });
  t.teardown(() => bench.close());
  const count = (wanted: string, filename?: string) =>
    log.lines.filter(
      ({ message, fields }) => message === wanted && (filename === undefined || fields.filename === filename),
    ).length;
  const run = async (script: Script) => {
    const activity = new Activity();
    const end = await bench.finish(activity, script);
    return { end, out: activity.text(), err: activity.text('stderr') };
  };
  return {
    ...bench,
    log,
    prepared: (filename) => count(WAITS, filename),
    used: () => count(HAS_RUN),
    async prime(script) {
      // One of another name may come to wait meanwhile.
      const before = count(WAITS, script.filename);
      await run(script);
      await until(() => count(WAITS, script.filename) > before, { what: 'an interpreter waits' });
    },
    run,
  };
}
