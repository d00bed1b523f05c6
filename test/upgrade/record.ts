// Records the database of this version with everything in it that the next must be able to open: `node
// test/upgrade/record.ts`. What is there already stays as it is.
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { until } from '../../features/support/process.ts';
import { clone, Installation, type Recording, recordings } from './installation.ts';

const WAITS = `a=$(svc step one -- echo first)
s=$(svc wait-signal go)
svc output set a="$a" s:="$s" k="$K" c="$C" sec="$SEC"
`;
const LOCKS = `svc lock grp
svc wait-signal unlock
svc output set done=1
`;
const ASKS = `svc activity-submit kid -- /bin/echo kid
x=$(svc wait-event upgrade.go)
svc activity-collect kid
svc output set event:="$x"
`;
const REACTS = `svc output set token="\${TOKEN:-}" by="$CI_TRIGGER_EVENT" q="\${Q:-}"
`;

const script = (source: string, more: object = {}) => ({ filename: 'a.sh', source, ...more });

async function fill(place: Installation): Promise<Pick<Recording, 'runs' | 'hook' | 'webhook'>> {
  const submit = async (source: string, more?: object): Promise<string> =>
    (await place.call('POST', 'runs', script(source, more))).run_id;
  await place.call('PUT', 'secrets/SEC', { value: 's3cr3t-value-one' });
  await place.call('PUT', 'credentials/bot', { kind: 'bearer', token: 'tok-en-canary' });
  const signal = await submit(WAITS, { env: { K: 'v1' }, credentials: { C: 'bot' }, tags: ['a:b'] });
  const holder = await submit(LOCKS);
  const event = await submit(ASKS);
  for (const run_id of [signal, holder, event]) await place.reaches(run_id, 'waiting');
  const queued = await submit(LOCKS);
  await place.reaches(queued, 'waiting');
  const ended = await submit(REACTS, { input: { n: 1 } });
  await place.reaches(ended, 'succeeded');
  await place.call('PUT', 'handlers/narrow', {
    ...script(REACTS, { credentials: { TOKEN: 'bot' }, tags: ['narrow'], cancel_on: ['stop.it'] }),
    ...{ on: ['upgrade.h'], when: 'event.payload.n > 1' },
  });
  await place.call('PUT', 'handlers/wide', {
    ...script(REACTS, { env: { Q: 'wide' }, tags: ['wide'] }),
    on: ['upgrade.*'],
  });
  const workflow = script(REACTS, { credentials: { TOKEN: 'bot' }, input: { x: 1 }, tags: ['tick'] });
  await place.call('PUT', 'schedules/often', { cron: '*/2 * * * * *', workflow });
  await place.call('PUT', 'schedules/bare', { cron: '0 0 1 1 *' });
  const hook = await place.call('PUT', 'event-hooks/builds', { event_type: 'upgrade.hook' });
  const pushed = script(REACTS, { env: { Q: 'push' }, tags: ['pushed'] });
  const webhook = await place.call('PUT', 'webhooks/site', { forge: 'forge_a', repo: 'acme/site', workflow: pushed });
  await until('a tick', 20_000, async () => (await place.call('GET', 'schedules/often')).last_tick);
  const path = (url: string) => new URL(url).pathname;
  return {
    runs: { signal, holder, queued, event, ended },
    hook: { path: path(hook.ingest_url), secret: hook.secret },
    webhook: { path: path(webhook.delivery_url), secret: webhook.secret },
  };
}

const { version } = JSON.parse(await readFile(join(clone, 'package.json'), 'utf8')) as { version: string };
const file = join(recordings, `${version}.json`);
if (
  await access(file).then(
    () => true,
    () => false,
  )
)
  throw new Error(`${file} is there already`);
const place = await Installation.create();
try {
  await place.start();
  const made = await fill(place);
  await place.stop();
  const master_key = await readFile(join(place.folder, '.svc/master.key'), 'utf8');
  const recording: Recording = { version, master_key, token: place.token, ...made };
  const small = join(place.folder, 'small.db');
  const database = new DatabaseSync(join(place.folder, '.svc/svc.db'));
  database.exec(`VACUUM INTO '${small}'`);
  database.close();
  await writeFile(join(recordings, `${version}.db.gz`), gzipSync(await readFile(small), { level: 9 }));
  await writeFile(file, `${JSON.stringify(recording, null, 2)}\n`);
} finally {
  await place.remove();
}
