import { type Clock, type Database, type Log, VIEWER } from '../../../kernel/contracts/index.ts';
import { type ChangedRuns, type LiveTopic, polledFeed } from '../../live/contract.ts';
import type { Wakeups } from '../../runs/contract.ts';
import { type EventHeader, eventsAfter } from '../store/event-rows.ts';
import { runsAfter } from '../store/event-log.ts';
import { lastSeq } from '../store/heads.ts';
import { renderEvent } from './render.ts';

/** The wake-up after a commit that recorded events of a project. */
export const recordedTopic = (project_id: string): string => `bus.recorded.${project_id}`;

const PAGE = 200;

export interface EventsTopicParts {
  database: Pick<Database, 'read' | 'sql'>;
  wakeups: Pick<Wakeups, 'onTopic'>;
  clock: Clock;
  log: Log;
}

export const eventsTopic = ({ database, wakeups, clock, log }: EventsTopicParts): LiveTopic => ({
  name: 'events',
  about: '`event` messages: events as lists show them, in their order',
  access: VIEWER,
  open: (scope, _, feed) =>
    polledFeed(
      {
        ...{ clock, log, name: 'events' },
        begin: () => lastSeq(database, scope.project_id),
        hints: (wake) => wakeups.onTopic(recordedTopic(scope.project_id), wake),
        async look(seen) {
          const events = await eventsAfter(database, scope, seen, PAGE);
          const messages = events.map((event) => ({ event: 'event', data: renderEvent(event, event.event_key) }));
          return { messages, cursor: Number(events.at(-1)?.seq ?? seen), more: events.length === PAGE };
        },
      },
      feed,
    ),
});

/** Submits, starts and ends of runs are events, whoever recorded them. */
export const changedRuns = (database: Pick<Database, 'read' | 'sql'>): ChangedRuns => ({
  name: 'bus',
  end: (project_id) => lastSeq(database, project_id),
  async after(project_id, position, limit) {
    const rows = await runsAfter(database, project_id, position, limit);
    const run_ids = rows.filter(speaksOfRun).map(({ source_name }) => source_name);
    return { run_ids, position: Number(rows.at(-1)?.seq ?? position), more: rows.length === limit };
  },
});

const speaksOfRun = ({ source }: Pick<EventHeader, 'source'>): boolean =>
  source === 'lifecycle' || source === 'manual' || source === 'spawn';
