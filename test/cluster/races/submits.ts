import type { Race } from './race.ts';

/** One Idempotency-Key at all servers at once is one run. */
export const submits: Race = {
  name: 'idempotent-submits',
  width: 2,
  async round({ place, round, tag }) {
    const body = { source: 'true', requires: ['nowhere'], tags: [tag] };
    const ids = await Promise.all([0, 1, 2, 3, 4, 5].map((n) => place.at(n).submit(body, tag)));
    const unlike = new Set(ids);
    const runs = await place.at(round).tagged(tag);
    for (const run_id of unlike) await place.at(round).cancel(run_id);
    const wrong = unlike.size === 1 ? [] : [`one key made ${unlike.size} runs: ${[...unlike].join(' ')}`];
    // The node may be a moment behind, so no run is no fault here; the cancel above has found it.
    return runs.length <= 1 ? wrong : [...wrong, `${runs.length} runs are listed for one key`];
  },
};
