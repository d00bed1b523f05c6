import { Refusal } from '../client.ts';
import { until } from '../../../features/support/process.ts';
import type { ClusterPlace } from '../place.ts';
import type { Race } from './race.ts';

const PROJECT = 'crowd';
const CEILING = 16;
const EMITS = 30;
const OPEN = 'runs?status=queued,running,waiting&';

const at = (place: ClusterPlace, server: number) => place.at(server).in(PROJECT);

/** More emits at all servers at once than a project may have handler runs: 16 are taken, the others refused whole. */
export const handlers: Race = {
  name: 'handler-ceilings',
  width: 1,
  async prepare(place) {
    await at(place, 0).makeProject();
    const handler = { on: ['crowd.*'], filename: 'crowd.sh', source: 'true', requires: ['nowhere'] };
    await at(place, 0).ask('PUT', 'handlers/crowd', handler);
  },
  async round({ place, round }) {
    const type = `crowd.${round}`;
    const answers = await Promise.all(Array.from({ length: EMITS }, (_, n) => tried(place, n, type)));
    const taken = answers.filter((one) => one !== undefined);
    const wrong = taken.length === CEILING ? [] : [`round ${round}: ${taken.length} of ${EMITS} emits were taken`];
    const open = await settled(place, taken.length);
    if (open.length !== taken.length) wrong.push(`round ${round}: ${open.length} runs of ${taken.length} events`);
    await Promise.all(open.map((run, n) => at(place, n).cancel(run)));
    const left = await settled(place, 0);
    if (left.length > 0) wrong.push(`round ${round}: ${left.length} are open after their cancel`);
    const listed = await at(place, round).all(`events?type=${type}&`, 'events');
    if (listed.length !== taken.length) wrong.push(`round ${round}: ${listed.length} events of ${taken.length}`);
    return wrong;
  },
};

/** Undefined when it was refused for the ceiling. */
async function tried(place: ClusterPlace, n: number, type: string): Promise<string | undefined> {
  try {
    return await at(place, n).emit(type, null, `${type}-${n}`);
  } catch (error) {
    if (error instanceof Refusal && error.status === 429) return undefined;
    throw error;
  }
}

/** Open runs once every server knows of `count`, or as the last one sees them after a while. */
async function settled(place: ClusterPlace, count: number): Promise<string[]> {
  let open: string[] = [];
  await until('all servers to agree', 10_000, async () => {
    for (const server of place.servers.keys()) {
      open = (await at(place, server).all<{ run_id: string }>(OPEN, 'runs')).map(({ run_id }) => run_id);
      if (open.length !== count) return undefined;
    }
    return true;
  }).catch(() => undefined);
  return open;
}
