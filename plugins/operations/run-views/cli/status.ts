import { Exit, type Run } from '../../../../cli/contract.ts';
import type { RunView } from '../explain/answers.ts';
import { describeRun } from './describe.ts';
import { exitCodeOf, hasEnded } from './wait-for-end.ts';

/** The server waits for at most 10 minutes, and no proxy knows that it does. */
const IDLE_MS = 11 * 60_000;

export const run: Run = async ({ args, flags, output, client }) => {
  const api = await client();
  const { wait } = flags;
  const record = await api.json<RunView>({
    path: api.scoped(`/runs/${encodeURIComponent(args[0]!)}`),
    query: { wait: wait as string | undefined },
    ...(wait === undefined ? {} : { idle_ms: IDLE_MS }),
  });
  output.data(record, () => describeRun(record, output));
  if (wait === undefined) return undefined;
  return hasEnded(record) ? exitCodeOf(record) : Exit.timedOut;
};
