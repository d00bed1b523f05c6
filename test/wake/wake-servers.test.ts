import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import t, { type Test } from 'tap';
import { until } from '../../features/support/process.ts';
import { Place } from '../bench/place.ts';
import { resumed } from '../bench/scripts.ts';
import { linesOf, median, together, wallMs } from '../bench/statistics.ts';
import { wakesOf } from '../bench/wakes.ts';
import { isLong } from '../support/length.ts';
import { createDatabase, startMysql } from '../support/mysql-server.ts';
import { type PrivateNatsServer, startPrivateNats } from '../support/nats-server.ts';
import { omit } from '../kit/needs.ts';

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

const mysql = await startMysql();
const nats = await startPrivateNats();
t.teardown(async () => {
  if ('stop' in nats) await nats.stop();
  if ('stop' in mysql) await mysql.stop();
});

/** Runs that go on across the servers, and those that wait while NATS dies and comes back. */
const WAKES = isLong ? 15 : 5;
const ANSWERS = isLong ? 10 : 4;
const PARKED = isLong ? 200 : 60;

const RUN_ID = /run_[0-9A-Z]{26}/g;

/** Two servers on one database; the agent works for the first of them. */
async function twoServers(t: Test, env: Record<string, string>): Promise<Place> {
  if (!('url' in mysql)) throw new Error('there is no MySQL');
  const database = await createDatabase(mysql.url);
  t.teardown(() => database.drop());
  const place = await Place.open({ database_url: database.url, servers: 2, agents: 1, slots: 8, env });
  t.teardown(() => place.close());
  return place;
}

const metricOf = async (place: Place, server: number, name: string): Promise<number> => {
  const text = await (await fetch(`${place.servers[server]!.url}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `) || one.startsWith(`${name}{`));
  return line === undefined ? Number.NaN : Number(line.split(' ').at(-1));
};

/** How much sooner runs go on for it is measured (`npm run bench -- --only wake`), not tested: a busy machine is late with both. */
const heardBy = async (place: Place, server: number): Promise<number> =>
  (await metricOf(place, server, 'svc_wake_messages_total{what="received"}')) || 0;

const connected = (place: Place, wanted: number) =>
  until(`both servers to say ${wanted} of NATS`, 60_000, async () => {
    const found = await Promise.all([0, 1].map((server) => metricOf(place, server, 'svc_wake_connected')));
    return found.every((value) => value === wanted) || undefined;
  });

/** Milliseconds from a signal to the second server until the run that parked on the first goes on. */
const wakesAcross = (place: Place, count: number): Promise<number[]> =>
  wakesOf(place.api(0), place.api(1), join(place.folder, `resumed-${count}-${Math.trunc(performance.now())}`), count);

/**
 * Milliseconds from the end of runs, which work for the first server, until the second answers the requests that wait for
 * them: half of them submits, half reads.
 */
async function answersAcross(place: Place, count: number): Promise<number[]> {
  const [first, second] = [place.api(0), place.api(1)];
  const delays: number[] = [];
  const delayed = (run: Record<string, unknown>): void => {
    if (run.status !== 'succeeded') throw new Error(`${String(run.run_id)} is ${String(run.status)}`);
    delays.push(wallMs() - Date.parse(String(run.finished_at)));
  };
  for (let index = 0; index < count; index += 1) {
    const run_id = await first.submit({ source: 'svc wait-signal go' });
    await first.reaches(run_id, 'waiting');
    const answer = second.whenOver(run_id);
    await first.signal(run_id, 'go');
    delayed(await answer);
    delayed(await second.runToEnd({ filename: 'bench.sh', source: 'svc step one -- true' }));
  }
  first.close();
  second.close();
  return delays;
}

if ('reason' in mysql) omit(t, 'wake-ups across servers', 'mariadbd', mysql.reason);
else if ('reason' in nats) omit(t, 'wake-ups across servers', 'nats-server', nats.reason);
else {
  const broker = nats as PrivateNatsServer;

  t.test('without NATS, what is asked of one server reaches the other', async (t) => {
    const place = await twoServers(t, {});
    const wakes = await wakesAcross(place, WAKES);
    t.ok(Number.isNaN(await metricOf(place, 0, 'svc_wake_connected')), 'nothing is said of what is not set');
    t.comment(`signal at another server to resumed, p50: ${median(wakes).toFixed(1)} ms by polling`);
    const answers = await answersAcross(place, ANSWERS);
    t.comment(`end of a run to the answer of another server, p50: ${median(answers).toFixed(1)} ms by polling`);
    t.ok(Math.max(...answers) < 45_000, 'before the minute that was asked for');
  });

  t.test('with NATS', async (t) => {
    const place = await twoServers(t, { SVC_WAKE_URL: broker.url });
    await connected(place, 1);
    await t.test('the other server is told', (t) => told(t, place));
    await t.test('NATS dies and comes back: wakes are slower for a while, and none is lost', (t) => dies(t, place));
    await t.test('deployments do not hear each other, nobody hears a value, and nonsense is passed over', (t) =>
      apart(t, place),
    );
  });

  async function told(t: Test, place: Place): Promise<void> {
    const wakes = await wakesAcross(place, WAKES);
    t.comment(`signal at another server to resumed, p50: ${median(wakes).toFixed(1)} ms with NATS`);
    t.ok((await heardBy(place, 0)) > 0, 'of a signal, by the server that the agent works for');
    const before = await heardBy(place, 1);
    const answers = await answersAcross(place, ANSWERS);
    t.comment(`end of a run to the answer of another server, p50: ${median(answers).toFixed(1)} ms with NATS`);
    t.ok((await heardBy(place, 1)) > before, 'of the end of a run, by the server that was asked');
  }

  async function dies(t: Test, place: Place): Promise<void> {
    const [first, second] = [place.api(0), place.api(1)];
    const count = PARKED;
    const runs: string[] = [];
    const file = join(place.folder, 'all');
    await together(count, 16, async () => void runs.push(await first.submit({ source: resumed(file, 1) })));
    for (const run_id of runs) await first.reaches(run_id, 'waiting');
    await together(count, 4, async (index) => {
      if (index === (count * 3) / 10) await broker.kill();
      if (index === count / 2) await connected(place, 0);
      if (index === (count * 7) / 10) await broker.restart();
      await second.signal(runs[index]!, 'go');
    });
    for (const run_id of runs) await second.reaches(run_id, 'succeeded');
    t.equal((await linesOf(file, count)).length, count, 'each goes on once');
    for (const { url } of place.servers) t.equal((await fetch(`${url}/readyz`)).status, 200);
    await connected(place, 1);
    const log = place.servers.map(({ service }) => service.log).join('');
    t.match(log, /the connection to NATS is lost; servers poll/);
    t.notMatch(log, new RegExp(broker.password), 'no log tells the password');
    first.close();
    second.close();
  }

  async function apart(t: Test, one: Place): Promise<void> {
    const two = await twoServers(t, { SVC_WAKE_URL: broker.url });
    await connected(two, 1);
    const { host, username, password } = new URL(broker.url);
    const spy = await connect({ servers: host, user: username, pass: password });
    t.teardown(() => spy.close());
    const heard: { subject: string; text: string }[] = [];
    spy.subscribe('>', {
      callback: (_, message) => void heard.push({ subject: message.subject, text: message.string() }),
    });
    await spy.flush();
    await wakesAcross(one, 1);
    await until('something to be said', 10_000, async () => heard.length > 0 || undefined);
    const subjects = new Set(heard.map(({ subject }) => subject));
    t.equal(subjects.size, 1, 'one subject for each database');
    const [subject = ''] = subjects;
    t.match(subject, /^svc\.wake\.[0-9a-f]{32}$/);
    t.ok(Number.isNaN(await metricOf(two, 0, 'svc_wake_messages_total{what="received"}')), 'the other hears nothing');
    for (const { text } of heard) t.notMatch(text, /resumed|wait-signal|EPOCHREALTIME/);
    await wakesAcross(two, 1);
    // The first may still be speaking of its own runs.
    const runsOf = (own: boolean) =>
      new Set(heard.filter((one) => (one.subject === subject) === own).flatMap(({ text }) => text.match(RUN_ID) ?? []));
    const [first, other] = [runsOf(true), runsOf(false)];
    t.ok(first.size > 0 && other.size > 0, 'both speak of runs');
    t.same(
      [...first].filter((run_id) => other.has(run_id)),
      [],
      'the other has a subject of its own',
    );
    for (let i = 0; i < 5; i++) spy.publish(subject, `{"v":1,"wake":[{"wake":"nonsense ${i}"}]}`);
    await until('it to be passed over', 10_000, async () =>
      (await metricOf(one, 0, 'svc_wake_messages_total{what="ignored"}')) === 5 ? true : undefined,
    );
    t.equal(one.servers[0]!.service.log.split('ignoring a NATS message').length - 1, 1, 'one line for all of it');
    t.equal((await wakesAcross(one, 1)).length, 1);
  }

  t.test('servers begin without NATS, and use it once it is there', async (t) => {
    await broker.kill();
    const place = await twoServers(t, { SVC_WAKE_URL: broker.url });
    await connected(place, 0);
    for (const { url } of place.servers) t.equal((await fetch(`${url}/readyz`)).status, 200);
    t.equal((await wakesAcross(place, 2)).length, 2);
    await broker.restart();
    await connected(place, 1);
    t.equal((await wakesAcross(place, 2)).length, 2);
  });

  t.test('a setting that is none stops the start, and is told without its password', async (t) => {
    const start = Place.open({ env: { SVC_WAKE_URL: `nats://svc:${broker.password}@host/path` } });
    const error = await start.then(
      (place) => place.close().then(() => undefined),
      (failure: unknown) => failure as Error,
    );
    t.match(error?.message, /SVC_WAKE_URL must end after the port/);
    t.notMatch(error?.message, new RegExp(broker.password));
  });
}
