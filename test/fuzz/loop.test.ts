import { createHmac, randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { bootEngine, cpuOf, longestHold } from '../kit/index.ts';
import {
  DELIVERED,
  EXACT_VALUES,
  GRAPHS,
  LARGEST,
  LARGEST_DELIVERY,
  LARGEST_EVENT,
  PIPELINES,
  SIZES,
  VALUES,
} from './documents.ts';
import { JSON_TEXTS, TEXTS } from '../support/fuzz-values.ts';

t.setTimeout(600_000);

const PARSED = `{${Array.from({ length: 130_000 }, (_, n) => `"k${n}":${n}`).join()}}`;
/** For which no request may hold the event loop; more on a machine that takes long to read one object. */
const maxMs = (): number => Math.max(100, 2 * cpuOf(() => JSON.parse(PARSED)));

t.test('no document holds the event loop', async (t) => {
  const server = await bootEngine({
    idle: false,
    plugins: ['pipelines', 'graphs', 'handlers', 'schedules', 'requests', 'hooks', 'forges'],
  });
  t.teardown(() => server.close());
  const send = (request: string, body: string) => {
    const [method = '', path = ''] = request.split(' ');
    return server.call('admin', `${method} ${server.scoped}${path}`, body);
  };
  const held = (t: Test, what: string, request: string, body: (mark: number) => string): Promise<number> =>
    heldBy(t, what, (times) => {
      const text = body(times);
      return () => send(request, text);
    });
  const heldBy = async (
    t: Test,
    what: string,
    prepare: (times: number) => () => Promise<{ status: number }>,
  ): Promise<number> => {
    const bound = maxMs();
    let [ms, status] = [Infinity, 0];
    // What a document itself takes is the least of a few: some turn also collects the garbage of those before it. Each is
    // another text, because the server keeps what it has read.
    for (let times = 0; times < 3 && ms > bound; times += 1) {
      const hold = await longestHold(prepare(times));
      t.ok(hold.result.status < 500, `${what}: ${hold.result.status}`);
      ms = Math.min(ms, hold.ms);
      status = hold.result.status;
    }
    t.ok(ms <= bound, `${what} holds it for ${ms.toFixed(0)} ms of ${bound.toFixed(0)}`);
    return status;
  };
  const pipeline = (source: string) => JSON.stringify({ kind: 'pipeline', filename: 'a.yml', source });
  const marked = (source: string) => (mark: number) => pipeline(`${source}\n# ${mark}`);
  // What is loaded once is no part of a document.
  for (const source of ['jobs: { a: { if: "1 == 1", steps: [{ run: x }] } }', PIPELINES.tags!(SIZES[1])])
    for (const path of ['/check', '/runs']) await send(`POST ${path}`, pipeline(source));
  await send('PUT /graphs/warm', JSON.stringify(GRAPHS.conditions!(2000)));
  await send('POST /events', JSON.stringify({ type: 'warm.up', payload: [1] }));

  await t.test('pipelines', async (t) => {
    for (const name of ['tags', 'brackets that nest', 'a pipeline of many jobs'])
      await held(t, `${name}, the largest`, 'POST /check', marked(PIPELINES[name]!(LARGEST)));
    // Those are refused by the count of their words; these are parsed.
    for (const [name, size] of Object.entries({
      tags: 600,
      'brackets that nest': 200,
      'a pipeline of many steps': 400,
    }))
      await held(t, `${name}, ${size} KiB`, 'POST /check', marked(PIPELINES[name]!(size * 1024)));
    for (const [name, make] of Object.entries(PIPELINES))
      for (const size of SIZES) await held(t, `${name}, ${size} bytes`, 'POST /check', marked(make(size)));
    const large = marked(`${PIPELINES['a pipeline of many jobs']!(SIZES[1])}\n# submitted`);
    await held(t, 'a submit', 'POST /runs', large);
    const handled = (mark: number) => JSON.stringify({ ...JSON.parse(large(mark + 10)), on: ['a.b'] });
    await held(t, 'a handler', 'PUT /handlers/h', handled);
  });

  await t.test('graphs', async (t) => {
    for (const [name, make] of Object.entries(GRAPHS)) {
      const of = (document: object) => (mark: number) => JSON.stringify({ ...document, title: `${mark}` });
      const [small, large] = [of(make(SIZES[1])), of(make(LARGEST))];
      await held(t, `saved: ${name}`, 'PUT /graphs/g', small);
      await held(t, `saved: ${name}, the largest`, 'PUT /graphs/g', large);
      const checked = (mark: number) => JSON.stringify({ kind: 'graph', source: large(mark + 10) });
      await held(t, `checked: ${name}, the largest`, 'POST /check', checked);
    }
  });

  await t.test('values', async (t) => {
    // No handler is there for it: sixteen would be all that may be in flight.
    const event = (payload: string) => () => `{"type":"a.c","payload":${payload}}`;
    for (const [name, make] of Object.entries(VALUES)) await held(t, name, 'POST /events', event(make(LARGEST)));
    for (const [name, make] of Object.entries(EXACT_VALUES))
      t.equal(await held(t, name, 'POST /events', event(make(LARGEST_EVENT))), 201, name);
  });

  /** Posts a body to a public address. Returns the status of the answer. */
  const post = async (url: string, headers: Record<string, string>, body: Buffer) => {
    const { status } = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    return { status };
  };

  await t.test('deliveries of a forge', async (t) => {
    const webhook = JSON.stringify({ forge: 'forge_a', repo: 'acme/site' });
    const { json } = await send('PUT /webhooks/w', webhook);
    for (const [name, make] of Object.entries(DELIVERED)) {
      const body = Buffer.from(`{"ref":"refs/heads/main",${make(LARGEST_DELIVERY)}}`);
      const signature = createHmac('sha256', json.secret).update(body).digest('hex');
      for (const [event, status] of Object.entries({ push: 202, issues: 413 })) {
        const headers = { 'x-github-event': event, 'x-hub-signature-256': `sha256=${signature}` };
        const deliver = () => () => post(json.delivery_url, { ...headers, 'x-github-delivery': randomUUID() }, body);
        t.equal(await heldBy(t, `${name} as ${event}`, deliver), status);
      }
    }
  });

  await t.test('deliveries to a hook', async (t) => {
    const { json } = await send('PUT /event-hooks/h', '{"event_type":"a.d"}');
    const values = { ...EXACT_VALUES, 'control characters': (bytes: number) => `"${'\\u0001'.repeat(bytes / 6)}"` };
    for (const [name, make] of Object.entries(values)) {
      const body = Buffer.from(make(LARGEST_EVENT));
      const deliver = () => () => post(json.ingest_url, { 'x-svc-hook-secret': json.secret }, body);
      t.equal(await heldBy(t, name, deliver), 202);
    }
    const text = Buffer.alloc(LARGEST_EVENT, 1);
    const headers = { 'content-type': 'text/plain', 'x-svc-hook-secret': json.secret };
    t.equal(await heldBy(t, 'text that needs escapes', () => () => post(json.ingest_url, headers, text)), 202);
  });

  await t.test('small texts', async (t) => {
    await heldBy(t, 'all of them', (times) => async () => {
      const texts = [...TEXTS, ...JSON_TEXTS].map((text) => (times === 0 ? text : `${text}\n# ${times}`));
      const statuses: number[] = [];
      for (const text of texts) statuses.push((await send('POST /check', pipeline(text))).status);
      return { status: Math.max(...statuses) };
    });
  });
});
