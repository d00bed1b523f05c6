import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import t, { type Test } from 'tap';
import { until } from '../../features/support/process.ts';
import { inTurn } from '../support/length.ts';
import { openMysql } from '../support/mysql-server.ts';
import { all, ask, openPlace, type Place, send, sideBySide } from './place.ts';
import { type Chance, chanceOf } from './chance.ts';
import { SENDERS, type Sender, type Sent } from './senders.ts';

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(3_600_000);

/*
 * Hooks under deliveries: forged ones, of which none is taken, and genuine ones that are repeated and shuffled, at two
 * servers on one database. The full size: `node test/hooks/deliveries.test.ts --forged 10000 --distinct 14000`.
 */
const { values } = parseArgs({
  options: {
    forged: { type: 'string', default: '500' },
    distinct: { type: 'string', default: '40' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
});
const FORGED = Number(values.forged);
const DISTINCT = Number(values.distinct);
const HANDLERS = 2;
const CALLERS = 16;

interface Made {
  sender: Sender;
  path: string;
  secret: string;
}

async function make(place: Place, sender: Sender, name: string, more: object = {}): Promise<Made> {
  const answer = await ask<{ ingest_url: string; secret?: string }>(place.target, 'PUT', `event-hooks/${name}`, {
    ...sender.put,
    ...more,
  });
  return { sender, path: new URL(answer.ingest_url).pathname, secret: answer.secret ?? '' };
}

const bodyOf = (number: number) => Buffer.from(JSON.stringify({ number, type: 'came', pad: 'x'.repeat(number % 97) }));

/** Every way of forging in turn; now and then a genuine one, which must be taken, or nothing was shown. */
async function forged(t: Test, place: Place, chance: Chance): Promise<void> {
  const hooks = await Promise.all(SENDERS.map((sender) => make(place, sender, `forged-${sender.name}`)));
  const ways = hooks.flatMap((hook) => Object.entries(hook.sender.forge).map(([way, forge]) => ({ hook, way, forge })));
  const seen = new Map<string, number>();
  let genuine = 0;
  await sideBySide(
    Array.from({ length: FORGED }, (_, number) => number),
    CALLERS,
    async (number) => {
      const { hook, way, forge } = ways[number % ways.length]!;
      const real = hook.sender.genuine(hook.secret, bodyOf(number), `id-${number}`);
      const base = place.bases[chance.below(2)]!;
      const { status, text } = await send(base, hook.path, forge(real, hook.secret, chance));
      seen.set(`${status}`, (seen.get(`${status}`) ?? 0) + 1);
      if (status !== 401) t.fail(`${hook.sender.name} ${way}: ${status} ${text}`);
      if (hook.secret !== '' && text.includes(hook.secret))
        t.fail(`${hook.sender.name} ${way}: the answer holds the secret`);
      if (number % 10 > 0) return;
      const taken = await send(base, hook.path, real);
      if (taken.status !== 202) t.fail(`${hook.sender.name}: a genuine one is answered ${taken.status} ${taken.text}`);
      genuine += 1;
    },
  );
  t.comment(
    `${FORGED} forged in ${ways.length} ways: ${JSON.stringify(Object.fromEntries(seen))}; ${genuine} genuine beside them`,
  );
  const recorded = await all<{ source: string }>(place.target, 'events?source=hook', 'events');
  t.equal(recorded.length, genuine, 'the events are those of the genuine ones');
}

/** Numbers of deliveries as they arrive: three in ten are there before. */
function arrivals(chance: Chance): number[] {
  const numbers = Array.from({ length: DISTINCT }, (_, number) => number);
  const order = [...numbers, ...numbers.filter(() => chance.next() < 0.43)];
  for (let at = order.length - 1; at > 0; at--) {
    const other = chance.below(at + 1);
    [order[at], order[other]] = [order[other]!, order[at]!];
  }
  return order;
}

/** To any of the servers; when that one dies under it, it is delivered again, to the other. */
async function deliver(place: Place, chance: Chance, path: string, sent: Sent) {
  const base = place.bases[chance.below(2)]!;
  return send(base, path, sent).catch((error: unknown) => {
    if (base === place.bases[0]) throw error;
    return send(place.bases[0], path, sent);
  });
}

/** With `struck`, one of the two servers is killed when half of the deliveries have been answered. */
async function storm(t: Test, place: Place, chance: Chance, name: string, struck: boolean): Promise<void> {
  const event_type = `${name}.came`;
  for (let number = 0; number < HANDLERS; number++)
    await ask(place.target, 'PUT', `handlers/${name}-${number}`, {
      on: [event_type],
      filename: 'h.sh',
      source: 'true',
    });
  const hook = await make(place, SENDERS.find((sender) => sender.name === 'standard')!, name, { event_type });
  const order = arrivals(chance);
  const answers = new Map<number, Set<string>>();
  let left = struck ? Math.floor(order.length / 2) : Number.POSITIVE_INFINITY;
  await sideBySide(order, CALLERS, async (number) => {
    const sent = hook.sender.genuine('', bodyOf(number), `${name}-${number}`);
    left -= 1;
    if (left === 0) await place.strike();
    const { status, text } = await deliver(place, chance, hook.path, sent);
    if (status !== 202) return void t.fail(`delivery ${number}: ${status} ${text}`);
    const { event_id } = JSON.parse(text) as { event_id: string };
    answers.set(number, (answers.get(number) ?? new Set()).add(event_id));
  });
  t.comment(`${order.length} deliveries of ${DISTINCT}`);
  const ids = [...answers.values()];
  t.ok(ids.length === DISTINCT && ids.every((one) => one.size === 1), 'a repeat answers its first event');
  const events = new Set(ids.map((one) => [...one][0]!));
  t.equal(events.size, DISTINCT, 'no two share one');
  t.equal((await all(place.target, `events?type=${event_type}`, 'events')).length, DISTINCT, 'and there are no others');
  const wanted = [...events].flatMap((event) =>
    Array.from({ length: HANDLERS }, (_, number) => `${event} ${name}-${number}`),
  );
  const runs = await until('every run to end', 1_800_000, async () => {
    const every = await all<{ status: string; trigger: { event: string; handler: string } }>(
      place.target,
      'runs',
      'runs',
    );
    const found = every.filter(({ trigger }) => events.has(trigger.event));
    return found.filter(({ status }) => status === 'succeeded').length >= wanted.length ? found : undefined;
  });
  const started = runs.map(({ trigger }) => `${trigger.event} ${trigger.handler}`);
  t.same(started.sort(), wanted.sort(), 'one run an event and handler');
}

async function both(t: Test, database_url: string | undefined): Promise<void> {
  const place = await openPlace(database_url);
  t.teardown(() => place.close());
  const seed = Number(values.seed);
  t.comment(`seed ${seed}`);
  await t.test('forged deliveries', (t) => forged(t, place, chanceOf(seed)));
  await t.test('repeated and shuffled deliveries', (t) => storm(t, place, chanceOf(seed), 'storm', false));
  await t.test('one of the servers is killed in the middle', (t) => storm(t, place, chanceOf(seed), 'struck', true));
}

t.test('on SQLite', inTurn('sqlite'), (t) => both(t, undefined));

t.test('on MySQL', inTurn('mysql'), async (t) => {
  const database_url = await openMysql(t);
  if (database_url === undefined) return;
  await both(t, database_url);
});
