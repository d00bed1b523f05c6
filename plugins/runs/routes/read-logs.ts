import { Readable } from 'node:stream';
import type { HttpReply, Route } from '../../../kernel/contracts/index.ts';
import type { RunEngine } from '../contract.ts';
import querySchema from '../schema/logs-query.schema.json' with { type: 'json' };
import { followLog, type LogParts, wholeLog } from '../service/follow.ts';
import { checkLogId } from '../service/log-id.ts';
import { SCOPED, VIEWER } from './paths.ts';

/** Bytes that wait for a slow reader before the log is read no further. */
const BUFFERED_BYTES = 64 * 1024;

/** `GET {scoped}/runs/{run}/logs`: the bytes as they are, or server-sent events until the run is final. */
export function readLogsRoute(engine: Pick<RunEngine, 'read'>, parts: LogParts): Route {
  return {
    method: 'GET',
    path: `${SCOPED}/runs/:run/logs`,
    operation: 'readLogs',
    summary: 'Read or follow the log of a run',
    access: VIEWER,
    query: querySchema,
    responses: {
      200: {
        description:
          'The log. With `follow=true` server-sent events: `log` events with an id each, to be resumed with ' +
          '`Last-Event-ID`, and one `end` event with the final status.',
        type: 'text/plain',
      },
    },
    async handle({ scope, params, query, headers, signal }) {
      const { run_id } = await engine.read(scope, params.run!);
      if (query.follow !== 'true') return reply(wholeLog(parts, run_id), 'text/plain; charset=utf-8');
      const last = headers['last-event-id'];
      const after = last ? checkLogId(last) : undefined;
      return reply(followLog(parts, run_id, after, signal), 'text/event-stream; charset=utf-8');
    },
  };
}

function reply(log: AsyncIterable<Buffer | string>, type: string): HttpReply {
  const stream = Readable.from(log, { objectMode: false, highWaterMark: BUFFERED_BYTES });
  return { status: 200, stream, type, headers: { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' } };
}
