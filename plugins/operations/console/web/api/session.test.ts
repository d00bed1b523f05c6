import t, { type Test } from 'tap';
import { json } from './client.ts';
import { readSession, signInByToken } from './session.ts';

/** Answers requests of the page when the test says so, and keeps what each of them showed. */
function answering(t: Test) {
  const asked: { method: string; csrf: string | null; answer(body: object): void }[] = [];
  const before = globalThis.fetch;
  t.teardown(() => {
    globalThis.fetch = before;
  });
  globalThis.fetch = (_path, init = {}) =>
    new Promise((resolve) => {
      asked.push({
        method: init.method ?? 'GET',
        csrf: new Headers(init.headers).get('x-svc-csrf'),
        answer: (body) => resolve(Response.json(body)),
      });
    });
  return asked;
}

const session = (csrf: string) => ({ user: 'user_1', csrf, expires_at: '' });

t.test('an answer that is older than a sign-in does not put the former token back', async (t) => {
  const asked = answering(t);
  const old = readSession();
  const signedIn = signInByToken('svc_pat_1');
  asked[1]!.answer(session('new'));
  await signedIn;
  asked[0]!.answer(session('old'));
  t.equal((await old)?.csrf, 'old');
  const write = json('/api/v1/x', { method: 'POST' });
  t.equal(asked[2]!.csrf, 'new');
  asked[2]!.answer({});
  await write;
});

t.test('a session that is read shows its token', async (t) => {
  const asked = answering(t);
  const read = readSession();
  asked[0]!.answer(session('read'));
  await read;
  const write = json('/api/v1/x', { method: 'DELETE' });
  t.equal(asked[1]!.csrf, 'read');
  asked[1]!.answer({});
  await write;
});
