import { createHmac, randomInt } from 'node:crypto';
import t, { type Test } from 'tap';
import { until } from '../../features/support/process.ts';
import { startTarget } from '../../features/support/target.ts';
import { type Address, deliver } from '../../features/support/forge-delivery.ts';
import { chanceOf } from '../hooks/chance.ts';
import { all, ask } from '../hooks/place.ts';
import { inTurn } from '../support/length.ts';
import { openMysql } from '../support/mysql-server.ts';

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(3_600_000);

/*
 * Deliveries of a forge, three in ten of them repeated, in any order, at two servers on one database: one event for each
 * that is distinct, and one run for each event and handler. `node test/forges/storm.test.ts 14000` for the full size.
 */
const DISTINCT = Number(process.argv[2] ?? 100);
const SEED = Number(process.argv[3] ?? randomInt(2 ** 31));
const HANDLERS = 2;
const CALLERS = 16;
const REPO = 'acme/site';

/** Numbers of deliveries as they arrive. */
function arrivals(next: () => number): number[] {
  const numbers = Array.from({ length: DISTINCT }, (_, n) => n);
  const order = [...numbers, ...numbers.filter(() => next() < 0.43)];
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(next() * (at + 1));
    [order[at], order[other]] = [order[other]!, order[at]!];
  }
  return order;
}

/** Signed properly and then altered somewhere: in the body, in the signature, or with another secret. */
async function forgeries(t: Test, address: Address, next: () => number): Promise<void> {
  const statuses = new Map<number, number>();
  for (let n = 0; n < DISTINCT * 5; n++) {
    const raw = Buffer.from(JSON.stringify({ n, repository: { full_name: REPO } }));
    const signed = createHmac('sha256', n % 3 === 0 ? `${address.secret}x` : address.secret)
      .update(raw)
      .digest();
    if (n % 3 === 1) flip(raw, next);
    if (n % 3 === 2) flip(signed, next);
    const headers = { 'x-hub-signature-256': `sha256=${signed.toString('hex')}` };
    const { status } = await deliver('forge_a', address, 'issues', {}, { raw, headers, id: `forged-${n}` });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  t.same([...statuses], [[401, DISTINCT * 5]], 'no forged delivery gets in');
}

function flip(bytes: Buffer, next: () => number): void {
  const at = Math.floor(next() * bytes.length);
  bytes[at] = bytes[at]! ^ (1 << Math.floor(next() * 8));
}

async function storm(t: Test, database: { database_url?: string }): Promise<void> {
  const target = await startTarget({ ...database, env: { SVC_RATE_LIMIT: 'off' } });
  t.teardown(() => target.close());
  const second = await target.own!.startServer('0');
  t.teardown(() => second.service.kill('SIGTERM'));
  for (let n = 0; n < HANDLERS; n++)
    await ask(target, 'PUT', `handlers/h${n}`, { on: ['forge.issues'], filename: 'h.sh', source: 'true' });
  const webhook = await ask<Address>(target, 'PUT', 'webhooks/storm', { forge: 'forge_a', repo: REPO });
  const path = new URL(webhook.delivery_url).pathname;
  const next = chanceOf(SEED).next;
  await forgeries(t, webhook, next);
  const order = arrivals(next);
  t.comment(`seed ${SEED}: ${order.length} deliveries of ${DISTINCT}`);
  const answers = new Map<number, Set<string>>();
  const caller = async () => {
    for (let n = order.pop(); n !== undefined; n = order.pop()) {
      const base = next() < 0.5 ? target.base_url : second.url;
      const address = { ...webhook, delivery_url: `${base}${path}` };
      const payload = { n, repository: { full_name: REPO } };
      const { status, json, text } = await deliver('forge_a', address, 'issues', payload, { id: `storm-${n}` });
      if (status !== 202) t.fail(`delivery ${n}: ${status} ${text}`);
      answers.set(n, (answers.get(n) ?? new Set()).add(json.event_id));
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  t.equal(answers.size, DISTINCT);
  t.ok(
    [...answers.values()].every((ids) => ids.size === 1),
    'a repeated delivery answers its first event',
  );
  const events = new Set([...answers.values()].map((ids) => [...ids][0]!));
  t.equal(events.size, DISTINCT, 'no two share one');
  const own = (await all<{ type: string }>(target, 'events', 'events')).filter(({ type }) => type === 'forge.issues');
  t.equal(own.length, DISTINCT, 'and there are no others');
  const wanted = [...events].flatMap((event) => Array.from({ length: HANDLERS }, (_, n) => `${event} h${n}`)).sort();
  const ended = await until('every run to end', 600_000, async () => {
    const runs = await all<{ status: string; trigger: { event: string; handler: string } }>(target, 'runs', 'runs');
    return runs.filter(({ status }) => status === 'succeeded').length >= wanted.length ? runs : undefined;
  });
  t.same(
    ended.map(({ trigger }) => `${trigger.event} ${trigger.handler}`).sort(),
    wanted,
    'one run an event and handler',
  );
}

t.test('on SQLite', inTurn('sqlite'), (t) => storm(t, {}));

t.test('on MySQL', inTurn('mysql'), async (t) => {
  const database_url = await openMysql(t);
  if (database_url === undefined) return;
  await storm(t, { database_url });
});
