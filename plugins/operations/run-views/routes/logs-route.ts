import { Readable } from 'node:stream';
import {
  type Clock,
  Errors,
  type HttpReply,
  type Route,
  SCOPED,
  FairSemaphore,
  VIEWER,
} from '../../../../kernel/contracts/index.ts';
import { checkRunId, type RunEngine, type RunReader, type RunWatcher } from '../../../engine/runs/contract.ts';
import logsQuery from '../schema/logs-query.schema.json' with { type: 'json' };
import { followLog, FollowThrottle } from '../service/follow.ts';
import { LogNames } from '../service/log-names.ts';
import { logFilter } from '../service/log-selection.ts';
import type { NodeViews } from '../service/node-views.ts';
import { findLogStart, readLog, serializePages, untilDisconnected } from '../service/read-log.ts';

/** Bytes that may wait for a slow reader before the log is read on. */
const BUFFERED_BYTES = 32 * 1024;

export interface LogsRouteDeps {
  reader: RunReader;
  nodes: NodeViews;
  watcher: RunWatcher;
  clock: Clock;
  logs: RunEngine['logs'];
}

export function logsRoute({ reader, nodes, watcher, clock, logs }: LogsRouteDeps): Route {
  const pages = new FairSemaphore(1);
  const deps = { watcher, clock, throttle: new FollowThrottle(clock), logs, status: reader.status };
  return {
    method: 'GET',
    path: `${SCOPED}/runs/:run/logs`,
    operation: 'readLogs',
    summary: "Read or follow a run's log",
    access: VIEWER,
    streams: true,
    query: logsQuery,
    responses: {
      200: {
        description:
          'The log. With `follow=true`, server-sent events: `log` events, each with an ID to resume from with ' +
          '`Last-Event-ID`, and one `end` event with the final status. If several nodes write, each line begins with ' +
          'the name of its node, and each event contains the name as `activity`. With `timestamps=true`, each line begins with its time, and with `format=json`, each line is an object.',
        type: 'text/plain',
      },
    },
    async handle({ scope, params, query, headers, principal, signal, admitted }) {
      const { org_id, project_id } = scope;
      const run_id = checkRunId(params.run);
      const run = { org_id, project_id, run_id };
      const names = (await nodes.hasSeveralWriters(run)) ? new LogNames(reader, () => nodes.labels(run)) : undefined;
      const caller = principal?.id ?? '';
      const selected = {
        ...deps,
        names,
        caller,
        logs: serializePages(logs, pages, { signal, caller }),
        matches: logFilter(reader, query),
      };
      if (query.follow !== 'true') {
        const type = query.format === 'json' ? 'application/x-ndjson' : 'text/plain';
        return toStream(await readLog(selected, run_id, query), `${type}; charset=utf-8`);
      }
      if (query.grep !== undefined) throw grepWithFollow();
      const last = headers['last-event-id'];
      const start = last ? { after: checkLogId(last) } : await findLogStart(selected, run_id, query);
      // Followers take turns of their own and wait for no search.
      const followed = { ...selected, logs: untilDisconnected(logs, signal), start };
      const events = followLog(followed, run_id, start.after, signal, admitted);
      return toStream(events, 'text/event-stream; charset=utf-8');
    },
  };
}

const grepWithFollow = () => {
  const message = 'cannot be combined with follow; filter the followed lines yourself';
  return Errors.invalidRequest(`grep ${message}`, { errors: [{ pointer: '/query/grep', message }] });
};

/** Throws `invalid_request` for an id that this service never gave. */
function checkLogId(text: string): string {
  if (/^\d{1,15}$/.test(text)) return text;
  const message = 'is not an id of this log; omit it to start at the beginning';
  throw Errors.invalidRequest(`Last-Event-ID ${message}`, { errors: [{ pointer: '/headers/last-event-id', message }] });
}

function toStream(log: AsyncIterable<Buffer | string>, type: string): HttpReply {
  const stream = Readable.from(log, { objectMode: false, highWaterMark: BUFFERED_BYTES });
  return { status: 200, stream, type, headers: { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' } };
}
