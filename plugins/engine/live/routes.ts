import { type Route, SCOPED, VIEWER } from '../../../kernel/contracts/index.ts';
import type { LiveTopic } from './contract.ts';
import querySchema from './schema/live-query.schema.json' with { type: 'json' };
import type { LiveHub } from './service/hub.ts';
import { parseTopics } from './service/topics.ts';

/** The route of the stream that a page follows. */
export const liveRoute = (hub: LiveHub, topics: readonly LiveTopic[]): Route => ({
  method: 'GET',
  path: `${SCOPED}/live`,
  operation: 'followProject',
  summary: "Follow a project's changes as server-sent events",
  access: VIEWER,
  query: querySchema,
  headers: { 'Last-Event-ID': 'The ID of the last message: the stream continues after it, or sends `reset`.' },
  responses: {
    200: { type: 'text/event-stream', description: describeTopics(topics) },
  },
  async handle(request) {
    const requested = parseTopics(request.query.topics ?? '', topics);
    const viewer = await hub.open(request, requested, request.headers['last-event-id']);
    const headers = { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };
    return { status: 200, stream: viewer.stream, type: 'text/event-stream; charset=utf-8', headers };
  },
});

const describeTopics = (topics: readonly LiveTopic[]): string =>
  [
    'Messages have an ID; send the last one as `Last-Event-ID` with the same topics to continue after it. The first is `ready`:',
    'lists that you read after it are complete. `reset` means that messages were lost and that you must read again; after',
    '`{"reason":"too_slow"}` the stream ends. `end` explains why the caller can no longer read. Topics:',
    topics
      .map(({ name, description }) => `\`${name.endsWith(':') ? `${name}<id>` : name}\`: ${description}.`)
      .join(' '),
  ].join(' ');
