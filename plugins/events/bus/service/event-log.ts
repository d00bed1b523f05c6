import type { Queries } from '../../../../kernel/contracts/index.ts';
import type { EventLog } from '../contract.ts';
import { countTypes, findFirstFrom, listLatest, listRange } from '../store/event-log.ts';
import { lastSeq, listHeads } from '../store/heads.ts';

export function createEventLog(on: Pick<Queries, 'read' | 'sql'>): EventLog {
  return {
    heads: (after, limit) => listHeads(on, after, limit),
    last: (project_id) => lastSeq(on, project_id),
    count: (project_id, types, from, to) => countTypes(on, project_id, types, from, to),
    page: (scope, range) => listRange(on, scope, range),
    latest: (scope, type, limit) => listLatest(on, scope, type, limit),
    // Times never decrease along the sequence, so a binary search finds the position in a log of any length.
    async numberAt(project_id, at, bounds) {
      let { low, high } = bounds;
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        const event = await findFirstFrom(on, project_id, middle);
        if (event === undefined || event.seq >= high) high = middle;
        else if (event.recorded_at >= at) high = middle;
        else low = event.seq + 1;
      }
      return low;
    },
  };
}
