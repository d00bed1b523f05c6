import { type Route, SCOPED, VIEWER } from '../../kernel/contracts/index.ts';
import type { LiveTopic } from './contract.ts';
import querySchema from './schema/live-query.schema.json' with { type: 'json' };
import type { LiveHub } from './service/hub.ts';
import { askedTopics } from './service/topics.ts';

/** One stream for a page. */
export const liveRoute = (hub: LiveHub, topics: readonly LiveTopic[]): Route => ({
  method: 'GET',
  path: `${SCOPED}/live`,
  operation: 'followProject',
  summary: 'Follow what changes in a project, as server-sent events',
  access: VIEWER,
  query: querySchema,
  headers: { 'Last-Event-ID': 'The id of the last message: the stream goes on behind it, or says `reset`.' },
  responses: {
    200: { type: 'text/event-stream', description: described(topics) },
  },
  async handle(request) {
    const asked = askedTopics(request.query.topics ?? '', topics);
    const viewer = await hub.open(request, asked, request.headers['last-event-id']);
    const headers = { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };
    return { status: 200, stream: viewer.stream, type: 'text/event-stream; charset=utf-8', headers };
  },
});

const described = (topics: readonly LiveTopic[]): string =>
  [
    'Messages with an id each, which goes into `Last-Event-ID` to go on behind it with the same topics. The first is `ready`:',
    'what is read after it misses nothing. `reset` says that messages are lost and that the page reads again; after',
    '`{"reason":"too_slow"}` the stream ends. `end` says why the caller may not look any more. Topics:',
    topics.map(({ name, about }) => `\`${name.endsWith(':') ? `${name}<id>` : name}\`: ${about}.`).join(' '),
  ].join(' ');
