import t, { type Test } from 'tap';
import { longestHold, maxHoldMs, until } from '../../../../test/kit/index.ts';
import { MAX_FRAME_BYTES } from '../contract.ts';
import { recordAt } from '../testing/agent.ts';
import { hello, raw } from '../testing/raw-client.ts';
import { TestServer } from '../testing/server.ts';

const MIB = 1024 * 1024;

/** What is parsed while `work` runs, as the lengths of the texts. */
async function parsedDuring(work: () => Promise<void>): Promise<number[]> {
  const { parse } = JSON;
  const lengths: number[] = [];
  JSON.parse = (text: string, ...rest: []) => {
    lengths.push(text.length);
    return parse(text, ...rest) as unknown;
  };
  try {
    await work();
  } finally {
    JSON.parse = parse;
  }
  return lengths;
}

t.test('a frame that would take long to parse is refused before it is parsed', async (t) => {
  const server = await new TestServer().start();
  t.teardown(() => server.stop());
  const one = await raw(server.port);
  await one.ask('hello', hello());
  const members = Array.from({ length: 400_000 }, (_, n) => `"m${n}":0`).join();
  const room = MAX_FRAME_BYTES - 100;
  const bodies: Record<string, [string, RegExp]> = {
    'arrays in arrays': ['['.repeat(room), /^the frame nests deeper than \d+ levels$/],
    'objects in objects': ['{"a":'.repeat(room / 5), /nests deeper/],
    'many members': [`{${members}}`, /members of objects$/],
    'many values': [`[${'0,'.repeat(room / 2 - 2)}0]`, /values$/],
  };
  let id = 100;
  for (const [what, [body, said]] of Object.entries(bodies)) {
    id += 1;
    const lengths = await parsedDuring(async () => {
      one.socket.send(`{"id":${id},"op":"complete","body":${body}}`);
      await until(() => one.answers.some((answer) => answer.id === id));
    });
    const { error } = one.answers.find((answer) => answer.id === id)!;
    t.match(error, { code: 'invalid_request', message: said }, what);
    t.ok(Math.max(...lengths) < 1000, `${what}: only the answer was parsed`);
  }
  t.match(await one.ask('renew', { claims: [] }), { ok: { lost: [] } }, 'the connection goes on');
  one.socket.send(`{"op":"complete","body":${'['.repeat(1000)},"id":7}`);
  await until(() => one.closed() !== undefined);
  t.equal(one.closed(), 1008, 'without an id where agents write it, it ends the connection');
});

/** An agent that has claimed one activity. */
async function claiming(t: Test) {
  const server = await new TestServer().start();
  t.teardown(() => server.stop());
  const one = await raw(server.port);
  await one.ask('hello', hello());
  server.store.add('a');
  await one.ask('ready', { free: 1 });
  await until(() => one.answers.some((answer) => answer.push === 'assign'));
  return { server, one, claim: { activity_id: 'a', epoch: 1 } };
}

t.test('the largest legal frames are taken', async (t) => {
  const { one, claim } = await claiming(t);
  t.match(await one.ask('append', { claim, record: recordAt(0, 'x'.repeat(2 * MIB)) }), { ok: {} });
  const data = Buffer.alloc(MIB / 8, 7).toString('base64');
  const chunks = Array.from({ length: 45 }, (_, n) => ({ n, stream: 'stdout', at: 1, data }));
  t.match(await one.ask('logs', { claim, chunks }), { ok: {} });
  // Whoever reads the log holds a chunk in memory, and so do all others who read at once.
  const larger = { ...chunks[0]!, n: 45, data: Buffer.alloc(MIB / 8 + 3, 7).toString('base64') };
  t.match(await one.ask('logs', { claim, chunks: [larger] }), { error: { code: 'invalid_request' } });
  const deep: unknown = JSON.parse('['.repeat(100) + ']'.repeat(100));
  t.match(await one.ask('perform', { claim, call: { ...recordAt(1), args: deep } }), { ok: {} });
  t.match(await one.ask('perform', { claim, call: { ...recordAt(2), args: [deep] } }), {
    error: { code: 'invalid_request', message: /nests deeper than 103 levels/ },
  });
  const output_json = Array.from({ length: 5000 }, (_, n) => ({ n, text: 'x'.repeat(400) }));
  t.match(await one.ask('complete', { claim, completion: { status: 'succeeded', output: output_json } }), { ok: {} });
  await one.close();
});

t.test('the bytes in flight of a connection are bounded by not reading on', async (t) => {
  const { server, one, claim } = await claiming(t);
  const gate = Promise.withResolvers<void>();
  let open = 0;
  let most = 0;
  server.store.appendLogs = async () => {
    most = Math.max(most, (open += 1));
    await gate.promise;
    open -= 1;
  };
  const chunk = Buffer.alloc(MIB / 8, 7).toString('base64');
  const body = { claim, chunks: [0, 1, 2, 3, 4, 5].map((n) => ({ n, stream: 'stdout', at: 1, data: chunk })) };
  const bytes = 6 * chunk.length;
  const FRAMES = 60;
  for (let id = 1000; id < 1000 + FRAMES; id += 1) one.socket.send(JSON.stringify({ id, op: 'logs', body }));
  await until(() => open >= 15);
  const other = await raw(server.port, 'svc_agt_two');
  await other.ask('hello', hello({ instance: 'other' }));
  for (let n = 0; n < 50; n += 1) await other.ask('renew', { claims: [] });
  t.ok(one.socket.bufferedAmount > 0, 'the agent cannot send all of it');
  t.ok(most <= (2 * MAX_FRAME_BYTES) / bytes + 1, `${most} frames of 1 MiB at once`);
  gate.resolve();
  await until(() => one.answers.filter((answer) => (answer.id ?? 0) >= 1000).length === FRAMES);
  t.ok(most <= (2 * MAX_FRAME_BYTES) / bytes + 1, `${most} frames of 1 MiB at once`);
  t.same(
    one.answers.flatMap(({ id, ok }) => ((id ?? 0) >= 1000 && ok ? [id] : [])),
    Array.from({ length: FRAMES }, (_, n) => 1000 + n),
  );
  await one.close();
  await other.close();
});

t.test(
  'a large frame that takes long to parse leaves the event loop to others, and frames keep their order',
  async (t) => {
    const { server, one, claim } = await claiming(t);
    const seen: string[] = [];
    const handle = (op: string) => {
      seen.push(op);
      return Promise.resolve();
    };
    server.store.annotate = () => handle('annotate');
    server.store.append = () => handle('append').then(() => ({}));
    const numbers = Array.from({ length: 300_000 }, (_, n) => `${n}.1234567890123450`).join();
    const record = recordAt(0, 'x');
    let id = 100;
    const frame = (op: string, body: string) => `{"id":${(id += 1)},"op":"${op}","body":${body}}`;
    const note = frame('annotate', JSON.stringify({ claim, nth: 0, text: 'x' }));
    /** The schema of the request rejects the numbers, after they were parsed. */
    const large = frame('renew', `{"claims":[${numbers}]}`);
    const append = frame('append', JSON.stringify({ claim, record }));
    let ms = Number.POSITIVE_INFINITY;
    for (let n = 0; n < 3; n += 1) {
      seen.length = 0;
      one.answers.length = 0;
      const held = await longestHold(async () => {
        one.socket.send(note);
        one.socket.send(large);
        one.socket.send(append);
        await until(() => one.answers.length === 3);
      });
      ms = Math.min(ms, held.ms);
      t.same(
        one.answers.map((answer) => answer.id),
        [101, 102, 103],
      );
      t.same(seen, ['annotate', 'append']);
    }
    t.ok(ms <= 0.2 * maxHoldMs(), `${ms.toFixed(0)} ms of ${(0.2 * maxHoldMs()).toFixed(0)}`);
    await one.close();
  },
);

t.test('a connection that was closed takes no more frames', async (t) => {
  const { server, one, claim } = await claiming(t);
  const notes: unknown[] = [];
  server.store.annotate = async (_claim: unknown, _nth?: unknown, text?: unknown) => void notes.push(text);
  const note = (text: string) => ({ claim, nth: 0, text });
  t.match(await one.ask('annotate', note('before')), { ok: {} });
  one.socket.send('not a request');
  one.socket.send(JSON.stringify({ id: 9, op: 'annotate', body: note('after') }));
  await until(() => one.closed() !== undefined);
  t.equal(one.closed(), 1002);
  t.same(notes, ['before'], 'although the frame arrived before the end of the connection');
});
