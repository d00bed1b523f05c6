import type { Queries } from '../../../kernel/contracts/index.ts';
import type { EventLog } from '../contract.ts';
import { countTypes, firstFrom, latestOf } from '../store/event-log.ts';
import { lastSeq } from '../store/heads.ts';

export function createEventLog(on: Pick<Queries, 'read' | 'sql'>): EventLog {
  return {
    last: (project_id) => lastSeq(on, project_id),
    count: (project_id, types, from, to) => countTypes(on, project_id, types, from, to),
    latest: (scope, type, limit) => latestOf(on, scope, type, limit),
    // Times never decrease along the numbers, so few looks find the place in a log of any length.
    async numberAt(project_id, at, bounds) {
      let { low, high } = bounds;
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        const found = await firstFrom(on, project_id, middle);
        if (found === undefined || found.seq >= high) high = middle;
        else if (found.recorded_at >= at) high = middle;
        else low = found.seq + 1;
      }
      return low;
    },
  };
}
