import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type Clock, Errors } from '../../../../kernel/contracts/index.ts';
import { systemClock } from '../../../../test/kit/index.ts';
import type { AgentServer, ServerRequest } from '../../agents/contract.ts';
import { httpSender } from './sender.ts';

const CONTENT = 'the content of an artifact';
const file = {
  path: 'a b/ü',
  size: CONTENT.length,
  digest: `sha256:${createHash('sha256').update(CONTENT).digest('hex')}`,
};
/** Pauses end at once. */
const clock: Clock = {
  ...systemClock,
  after(_delay_ms, due) {
    queueMicrotask(due);
    return () => undefined;
  },
};

/** A server whose answers are given, one for each request. */
function answering(...answers: ((request: ServerRequest) => { status?: number; content: string; breaks?: true })[]) {
  const requests: ServerRequest[] = [];
  const server: Pick<AgentServer, 'open'> = {
    async open(request) {
      requests.push(request);
      const { status = 200, content, breaks } = answers[requests.length - 1]!(request);
      return {
        status,
        content: (async function* () {
          yield Buffer.from(content);
          if (breaks) throw Errors.unavailable('the connection broke');
        })(),
      };
    },
  };
  const sender = httpSender(() => server as AgentServer, clock);
  const files = sender.files({ claim: { activity_id: 'act_1', epoch: 3 }, signal: new AbortController().signal });
  return { requests, fetch: (target: string) => files.fetch(file, target) };
}

t.test('a download continues where the connection broke, and asks for the same content', async (t) => {
  const target = join(t.testdir({}), 'got');
  const { requests, fetch } = answering(
    () => ({ content: CONTENT.slice(0, 5), breaks: true }),
    () => {
      throw Errors.unavailable('the server is down');
    },
    () => ({ status: 206, content: CONTENT.slice(5, 9) }),
    () => ({ status: 206, content: CONTENT.slice(9) }),
  );
  await fetch(target);
  t.equal(readFileSync(target, 'utf8'), CONTENT);
  t.equal(requests[0]!.path, '/api/v1/agents/activities/act_1/artifacts/a%20b/%C3%BC?epoch=3');
  const tag = `"sha256-${file.digest.slice(7)}"`;
  t.same(
    requests.map(({ headers }) => headers),
    [
      {},
      { range: 'bytes=5-', 'if-range': tag },
      { range: 'bytes=5-', 'if-range': tag },
      { range: 'bytes=9-', 'if-range': tag },
    ],
  );
});

t.test('content that was replaced is not mixed', async (t) => {
  const replaced = { code: 'not_found', message: /was replaced after it was listed/ };
  const during = answering(
    () => ({ content: CONTENT.slice(0, 5), breaks: true }),
    () => ({ status: 200, content: 'something else that is long' }),
  );
  await t.rejects(during.fetch(join(t.testdir({}), 'got')), replaced);
  const before = answering(() => ({ content: 'x'.repeat(CONTENT.length) }));
  await t.rejects(before.fetch(join(t.testdir({}), 'got')), replaced);
});

t.test('what the server rejects is final', async (t) => {
  const { requests, fetch } = answering(() => {
    throw Errors.notFound('the run has no artifact');
  });
  await t.rejects(fetch(join(t.testdir({}), 'got')), { code: 'not_found' });
  t.equal(requests.length, 1);
});
