import t from 'tap';
import { pauseAfter } from '../../../engine/runs/contract.ts';
import { type CommandAttempt, readPolicy, runAttempts } from './policy.ts';

t.test('options become a policy; without them there is none', async (t) => {
  t.equal(readPolicy({ label: 'x' }), undefined);
  t.same(readPolicy({ retry: '3' }), { retry: { attempts: 3, backoff_ms: 0 } });
  t.same(readPolicy({ retry: '100', backoff: '2s', 'max-backoff': '1m', timeout: '1h' }), {
    retry: { attempts: 100, backoff_ms: 2000, max_backoff_ms: 60_000 },
    timeout_ms: 3_600_000,
  });
  const wrong: [Record<string, string>, RegExp][] = [
    [{ retry: '0' }, /from 1 to 100/],
    [{ retry: '101' }, /from 1 to 100/],
    [{ retry: '1e2' }, /from 1 to 100/],
    [{ backoff: '1s' }, /--retry/],
    [{ retry: '2', 'max-backoff': '1s' }, /needs --backoff/],
    [{ retry: '2', backoff: '2s', 'max-backoff': '1s' }, /shorter/],
    [{ retry: '2', backoff: '0s' }, /longer than 0s/],
    [{ timeout: 'soon' }, /not a duration/],
  ];
  for (const [options, said] of wrong) t.throws(() => readPolicy(options), said, JSON.stringify(options));
});

t.test('pauses are all the same, or grow up to a most', async (t) => {
  const pauses = (policy: Parameters<typeof pauseAfter>[1]) => [1, 2, 3, 4].map((n) => pauseAfter(n, policy));
  t.same(pauses({ attempts: 5, backoff_ms: 100 }), [100, 100, 100, 100]);
  t.same(pauses({ attempts: 5, backoff_ms: 100, max_backoff_ms: 350 }), [100, 200, 350, 350]);
  t.equal(pauseAfter(99, { attempts: 100, backoff_ms: 86_400_000, max_backoff_ms: 90_000_000 }), 90_000_000);
});

t.test('the last attempt is the outcome, and a final one ends them', async (t) => {
  const run = async (tried: number, ends: Record<number, { exit_code: number; final?: boolean }>) => {
    const made: CommandAttempt[] = [];
    const kept: number[] = [];
    const begun: string[] = [];
    const at: Parameters<typeof runAttempts>[0] = {
      failed_attempts: tried,
      waitForPause: async () => undefined,
      reportAttempt: (attempt: number, attempts: number) => void begun.push(`${attempt}/${attempts}`),
      recordFailure: async (_: unknown, one: { attempt: number }) => void kept.push(one.attempt),
    };
    const { exit_code } = await runAttempts(
      at,
      { retry: { attempts: 3, backoff_ms: 0 }, timeout_ms: 5 },
      async (attempt) => {
        made.push(attempt);
        return { exit_code: 1, ...ends[attempt.attempt!], output: Buffer.alloc(0) };
      },
    );
    t.same(
      begun,
      made.map(({ attempt }) => `${attempt}/3`),
      'each is told of',
    );
    return { exit_code, kept, made: made.map(({ attempt }) => attempt) };
  };
  t.same(await run(0, {}), { exit_code: 1, kept: [1, 2], made: [1, 2, 3] });
  t.same(await run(0, { 2: { exit_code: 0 } }), { exit_code: 0, kept: [1], made: [1, 2] });
  t.same(await run(0, { 1: { exit_code: 5, final: true } }), { exit_code: 5, kept: [], made: [1] });
  t.same(await run(2, {}), { exit_code: 1, kept: [], made: [3] }, 'a later pass goes on');
  t.same(
    await run(7, {}),
    { exit_code: 1, kept: [], made: [8] },
    'with fewer attempts than before, the last one is made',
  );
});
