import { type Clock, type Database, type Log, VIEWER } from '../../../../kernel/contracts/index.ts';
import { type ChangedRuns, type LiveTopic, polledFeed } from '../../../engine/live/contract.ts';
import type { Wakeups } from '../../../engine/runs/contract.ts';
import { type EventHeader, listEventsAfter } from '../store/event-rows.ts';
import { listSourcesAfter } from '../store/event-log.ts';
import { lastSeq } from '../store/heads.ts';
import { renderEvent } from './render.ts';

/** The wakeup topic that is notified after events of a project were committed. */
export const recordedTopic = (project_id: string): string => `bus.recorded.${project_id}`;

const PAGE = 200;

export interface EventsTopicDeps {
  database: Pick<Database, 'read' | 'sql'>;
  wakeups: Pick<Wakeups, 'onTopic'>;
  clock: Clock;
  log: Log;
}

export const eventsTopic = ({ database, wakeups, clock, log }: EventsTopicDeps): LiveTopic => ({
  name: 'events',
  description: '`event` messages: new events in order, in the form that lists use',
  access: VIEWER,
  open: (scope, _, feed) =>
    polledFeed(
      {
        clock,
        log,
        name: 'events',
        readCursor: () => lastSeq(database, scope.project_id),
        onHint: (wake) => wakeups.onTopic(recordedTopic(scope.project_id), wake),
        async poll(seen) {
          const events = await listEventsAfter(database, scope, seen, PAGE);
          const messages = events.map((event) => ({ event: 'event', data: renderEvent(event, event.event_key) }));
          return { messages, cursor: Number(events.at(-1)?.seq ?? seen), more: events.length === PAGE };
        },
      },
      feed,
    ),
});

/** Submits, starts and ends of runs are all events, whoever recorded them. */
export const changedRuns = (database: Pick<Database, 'read' | 'sql'>): ChangedRuns => ({
  name: 'bus',
  lastPosition: (project_id) => lastSeq(database, project_id),
  async readAfter(project_id, position, limit) {
    const rows = await listSourcesAfter(database, project_id, position, limit);
    const run_ids = rows.filter(reportsOnRun).map(({ source_name }) => source_name);
    return { run_ids, position: Number(rows.at(-1)?.seq ?? position), more: rows.length === limit };
  },
});

const reportsOnRun = ({ source }: Pick<EventHeader, 'source'>): boolean =>
  source === 'lifecycle' || source === 'manual' || source === 'spawn';
