import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { until } from '../../features/support/process.ts';
import { Installation, type Recording, recordings } from './installation.ts';

t.setTimeout(600_000);

async function restore(version: string): Promise<{ place: Installation; recording: Recording }> {
  const recording = JSON.parse(await readFile(join(recordings, `${version}.json`), 'utf8')) as Recording;
  const place = await Installation.create();
  const home = join(place.folder, '.svc');
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(home, 'svc.db'), gunzipSync(await readFile(join(recordings, `${version}.db.gz`))), {
    mode: 0o600,
  });
  await writeFile(join(home, 'master.key'), recording.master_key, { mode: 0o600 });
  const profile = { url: 'http://127.0.0.1:1', token: recording.token, org: 'dev', project: 'main' };
  await writeFile(join(home, 'profile.json'), JSON.stringify(profile), { mode: 0o600 });
  return { place, recording };
}

/** The first run with this tag that began after a time and has succeeded. */
const tagged = (place: Installation, tag: string, since: number) =>
  until(`a run with the tag ${tag}`, 60_000, async () => {
    const { runs } = await place.call('GET', `runs?tag=${tag}&since=${new Date(since).toISOString()}`);
    return runs.findLast(({ status }: { status: string }) => status === 'succeeded');
  });

const versions = (await readdir(recordings)).filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -5));
t.ok(versions.includes('0.2.0'), 'there is a database of version 0.2.0');

for (const version of versions)
  t.test(`a database of ${version} is opened, and everything in it goes on`, async (t) => {
    const { place, recording } = await restore(version);
    t.teardown(() => place.remove());
    const began = Date.now();
    await place.start();
    const { runs } = recording;

    await t.test('what was stored is shown as it was', async (t) => {
      t.equal((await place.call('GET', 'secrets/SEC')).value, 's3cr3t-value-one');
      t.match(await place.call('GET', 'handlers/narrow'), {
        ...{ on: ['upgrade.h'], when: 'event.payload.n > 1', kind: 'script', filename: 'a.sh', tags: ['narrow'] },
        ...{ credentials: { TOKEN: 'bot' }, cancel_on: ['stop.it'], source: /CI_TRIGGER_EVENT/ },
      });
      t.match((await place.call('GET', 'handlers')).handlers, [{ name: 'wide' }, { name: 'narrow' }]);
      t.match(await place.call('GET', 'schedules/often'), {
        ...{ cron: '*/2 * * * * *', workflow: { filename: 'a.sh', input: { x: 1 }, credentials: { TOKEN: 'bot' } } },
      });
      t.notOk((await place.call('GET', 'schedules/bare')).workflow);
      t.match(await place.call('GET', 'webhooks/site'), { repo: 'acme/site', workflow: { env: { Q: 'push' } } });
      const { uses } = await place.call('GET', 'credentials/bot/uses');
      t.same(
        uses
          .map(({ kind, name }: { kind: string; name: string }) => `${kind} ${name}`)
          .filter((one: string) => !one.startsWith('run')),
        ['handler narrow', 'schedule often'],
      );
      t.match((await place.call('GET', 'locks')).locks, [{ group: 'grp' }]);
    });

    await t.test('runs that waited end as they would have', async (t) => {
      await place.call('POST', `runs/${runs.signal}/signals/go`, { x: 1 });
      t.match(await place.reaches(runs.signal, 'succeeded'), {
        output: { a: 'first', s: { x: 1 }, k: 'v1', c: '***', sec: '***' },
      });
      for (const run_id of [runs.holder, runs.queued]) await place.call('POST', `runs/${run_id}/signals/unlock`, {});
      for (const run_id of [runs.holder, runs.queued]) await place.reaches(run_id, 'succeeded');
      await place.call('POST', 'events', { type: 'upgrade.go', payload: 7 });
      t.match(await place.reaches(runs.event, 'succeeded'), { output: { event: { payload: 7 } } });
      const again = await place.call('POST', `runs/${runs.ended}/rerun`, {});
      t.match(await place.reaches(again.run_id, 'succeeded'), { rerun_of: runs.ended, output: { by: 'manual' } });
    });

    await t.test('what starts runs goes on starting them', async (t) => {
      await place.call('POST', 'events', { type: 'upgrade.h', payload: { n: 2 } });
      t.match(await tagged(place, 'narrow', began), {
        output: { token: '***', by: 'upgrade.h' },
        cancel_on: ['stop.it'],
      });
      t.match(await tagged(place, 'wide', began), { output: { q: 'wide' } });
      t.match(await tagged(place, 'tick', began), { output: { token: '***', by: 'schedule.tick' } });
      t.match(await place.deliver(recording.hook, '{}'), { event_type: 'upgrade.hook' });
      await place.push(recording.webhook, '2'.repeat(40));
      t.match(await tagged(place, 'pushed', began), { output: { by: 'push', q: 'push' } });
    });

    await t.test('what is set again is stored in the new form', async (t) => {
      const { on, source } = await place.call('GET', 'handlers/narrow');
      await place.call('PUT', 'handlers/narrow', { on, source, input: { fresh: true } });
      await place.call('DELETE', 'schedules/often');
      t.match(await place.call('GET', 'handlers/narrow'), { input: { fresh: true }, credentials: undefined });
      const { uses } = await place.call('GET', 'credentials/bot/uses');
      t.notMatch(JSON.stringify(uses), /handler|schedule/);
    });
  });
