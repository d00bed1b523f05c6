import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { MAX_SCHEDULES } from './store/schedules.ts';
import { boot, STORES, tablesWith, until } from '../../../test/kit/index.ts';

const CANARY = 'canary-61d0b7f2';
/** Requires a capability that no agent has, so that its runs stay queued. */
const WORKFLOW = { source: `echo ${CANARY}`, filename: 'job.sh', requires: ['nowhere'] };
/** Not due before the test is over. */
const FAR = '0 0 1 1 *';

for (const store of STORES)
  t.test(store, async (t) => {
    const server = await boot({ store, access: 'project' });
    t.teardown(() => server.close());
    const at = (name = '') => `${server.scoped}/schedules${name === '' ? '' : `/${name}`}`;
    const put = (name: string, body: unknown, role: string = 'member') => server.call(role, `PUT ${at(name)}`, body);

    t.test('set, shown, listed, replaced, removed', async (t) => {
      const input = { deep: [1, { key: 'ü\0' }] };
      const whole = {
        cron: FAR,
        timezone: 'Europe/Berlin',
        subject: 'books',
        workflow: { ...WORKFLOW, input, tags: ['a:b'] },
      };
      const made = await put('nightly', whole);
      t.equal(made.status, 201);
      t.match(made.json, {
        name: 'nightly',
        ...whole,
        workflow: { ...whole.workflow, kind: 'script' },
        paused: false,
        next_due: /^\d{4}-12-31T23:00:00.000Z$/,
      });
      t.same((await server.call('viewer', `GET ${at('nightly')}`)).json, made.json);
      t.same(await tablesWith(server.use(Database), CANARY), [], 'the workflow is sealed, and in no audit row');
      t.equal((await put('ticks', { cron: '@yearly', paused: true })).status, 201);
      const list = await server.call('viewer', `GET ${at()}`);
      t.match(list.json.schedules, [
        { name: 'ticks', workflow: null, paused: true },
        { name: 'nightly', workflow: { kind: 'script', filename: 'job.sh' } },
      ]);
      t.notOk(list.text.includes(CANARY), 'a list holds no workflow');
      t.notOk('next_due' in list.json.schedules[0]);
      const page = await server.call('viewer', `GET ${at()}?limit=1`);
      const rest = await server.call('viewer', `GET ${at()}?limit=1&cursor=${page.json.next_cursor}`);
      t.same([...page.json.schedules, ...rest.json.schedules], list.json.schedules);
      const again = await put('nightly', { cron: FAR });
      t.equal(again.status, 200);
      t.match(again.json, { timezone: 'UTC', workflow: null, created_at: made.json.created_at });
      t.notOk('subject' in again.json, 'it is replaced whole');
      t.equal((await server.call('member', `DELETE ${at('nightly')}`)).status, 204);
      t.equal((await server.call('member', `DELETE ${at('nightly')}`)).status, 404);
      t.equal((await server.call('viewer', `GET ${at('nightly')}`)).status, 404);
      await server.call('member', `DELETE ${at('ticks')}`);
      const audit = await server.call('admin', `GET ${server.scoped}/audit`);
      t.match(audit.json.entries.slice(0, 2), [
        { action: 'schedule.delete', subject: 'ticks' },
        { action: 'schedule.delete', subject: 'nightly' },
      ]);
      t.match(audit.json.entries.at(4), { action: 'schedule.set', subject: 'nightly', detail: `${FAR} Europe/Berlin` });
    });

    t.test('when it is due next is told by the server, paused or not', async (t) => {
      await put('berlin', { cron: '30 2 29 3 *', timezone: 'Europe/Berlin', paused: true });
      const next = await server.call('viewer', `GET ${at('berlin')}/next?count=3`);
      t.match(next.json, { name: 'berlin', cron: '30 2 29 3 *', timezone: 'Europe/Berlin', paused: true });
      t.equal(next.json.next.length, 3);
      for (const time of next.json.next) t.match(time, /-03-29T(00:30|01:00):00\.000Z$/);
      t.equal((await server.call('viewer', `GET ${at('berlin')}/next`)).json.next.length, 5);
      for (const count of ['0', '101', 'x', '1.5'])
        t.equal((await server.call('viewer', `GET ${at('berlin')}/next?count=${count}`)).status, 400, count);
      t.equal((await server.call('viewer', `GET ${at('absent')}/next`)).status, 404);
      await server.call('member', `DELETE ${at('berlin')}`);
    });

    t.test('paused, triggered meanwhile, resumed', async (t) => {
      const post = (path: string, role = 'member', headers?: Record<string, string>) =>
        server.call(role, `POST ${at(path)}`, undefined, headers);
      await put('by-hand', { cron: FAR, subject: 'books', workflow: WORKFLOW });
      const paused = await post('by-hand/pause');
      t.match(paused.json, { paused: true, paused_since: /Z$/, paused_by: /./, workflow: WORKFLOW });
      t.notOk('next_due' in paused.json);
      t.equal((await post('by-hand/pause')).json.paused_since, paused.json.paused_since, 'as it was');
      const key = { 'idempotency-key': 'k' };
      const first = await post('by-hand/trigger', 'member', key);
      t.match(first.json, { event: /^evt_/, run_id: /^run_/ });
      const again = await post('by-hand/trigger', 'member', key);
      t.same(again.json, { ...first.json, duplicate: true });
      const other = await post('by-hand/trigger');
      t.not(other.json.run_id, first.json.run_id);
      const { paused_by } = paused.json;
      const event = await server.call('viewer', `GET ${server.scoped}/events/${first.json.event}`);
      t.match(event.json.payload, { schedule: 'by-hand', triggered: true, triggered_by: paused_by });
      const run = await server.call('viewer', `GET ${server.scoped}/runs/${first.json.run_id}`);
      t.match(run.json, { subject: 'books', trusted: true, trigger: { event: first.json.event, schedule: 'by-hand' } });
      const shown = await server.call('viewer', `GET ${at('by-hand')}`);
      t.match(shown.json.last_tick, { event: other.json.event, run_id: other.json.run_id, triggered_by: paused_by });
      t.equal(shown.json.paused, true, 'a tick by hand resumes nothing');
      const resumed = await post('by-hand/resume');
      t.match(resumed.json, { paused: false, next_due: /-01-01T00:00:00.000Z$/ });
      t.notOk('paused_since' in resumed.json);
      t.equal((await post('by-hand/resume')).json.next_due, resumed.json.next_due);
      for (const path of ['pause', 'resume', 'trigger']) {
        t.equal((await post(`absent/${path}`)).status, 404, path);
        t.equal((await post(`by-hand/${path}`, 'viewer')).status, 403, path);
      }
      t.equal((await post('by-hand/trigger', 'member', { 'idempotency-key': '' })).status, 400);
      await server.call('member', `DELETE ${at('by-hand')}`);
    });

    t.test('who may what', async (t) => {
      const roles: string[] = ['viewer', 'member', 'admin', 'owner', 'rival'];
      const answers = async (line: string, body?: unknown) =>
        Promise.all(roles.map(async (role) => (await server.call(role, line, body)).status));
      await put('mine', { cron: FAR });
      t.same(await answers(`GET ${at()}`), [200, 200, 200, 200, 404]);
      t.same(await answers(`GET ${at('mine')}`), [200, 200, 200, 200, 404]);
      t.same(await answers(`GET ${at('mine')}/next`), [200, 200, 200, 200, 404]);
      t.same(await answers(`PUT ${at('mine')}`, { cron: FAR }), [403, 200, 200, 200, 404]);
      t.same(await answers(`DELETE ${at('absent')}`), [403, 404, 404, 404, 404]);
      await server.call('member', `DELETE ${at('mine')}`);
    });

    t.test('bad input has a clear code and a place, and nothing is made of it', async (t) => {
      const workflow = (more: object) => ({ cron: FAR, workflow: { ...WORKFLOW, ...more } });
      const bad: [body: unknown, status: number, code: string, pointer: string][] = [
        [{}, 400, 'invalid_request', '/cron'],
        [{ cron: 5 }, 400, 'invalid_request', '/cron'],
        [{ cron: FAR, every: '5m' }, 400, 'invalid_request', '/every'],
        [{ cron: '' }, 400, 'invalid_request', '/cron'],
        [{ cron: '* * * *' }, 422, 'cron_invalid', '/cron'],
        [{ cron: '99 * * * *' }, 422, 'cron_invalid', '/cron'],
        [{ cron: '0 0 31 2 *' }, 422, 'cron_invalid', '/cron'],
        [{ cron: '@reboot' }, 422, 'cron_invalid', '/cron'],
        [{ cron: '\0 * * * *' }, 422, 'cron_invalid', '/cron'],
        [{ cron: FAR, timezone: 'Mars/Olympus' }, 400, 'invalid_request', '/timezone'],
        [{ cron: FAR, timezone: '+02:00' }, 400, 'invalid_request', '/timezone'],
        [{ cron: FAR, timezone: 'UTC\0' }, 400, 'invalid_request', '/timezone'],
        [{ cron: FAR, subject: '' }, 400, 'invalid_request', '/subject'],
        [{ cron: FAR, subject: 'a\nb' }, 400, 'invalid_request', '/subject'],
        [{ cron: FAR, subject: 'x'.repeat(256) }, 400, 'invalid_request', '/subject'],
        [`{"cron":"${FAR}","subject":"\\ud800"}`, 400, 'invalid_request', '/subject'],
        [{ cron: FAR, workflow: {} }, 400, 'invalid_request', '/workflow/source'],
        [{ cron: FAR, workflow: 'true' }, 400, 'invalid_request', '/workflow'],
        [workflow({ idempotency_key: 'x' }), 400, 'invalid_request', '/workflow/idempotency_key'],
        [workflow({ idempotency_key: 'x' }), 400, 'invalid_request', '/workflow/idempotency_key'],
        [workflow({ env: { SVC_X: '1' } }), 400, 'invalid_request', '/workflow/env/SVC_X'],
        [workflow({ tags: ['\0'] }), 400, 'invalid_request', '/workflow/tags/0'],
        [workflow({ source: 'if then' }), 422, 'workflow_invalid', '/workflow/source'],
        [workflow({ credentials: { A: 'absent' } }), 422, 'credential_missing', '/workflow/credentials/A'],
      ];
      for (const [body, status, code, pointer] of bad) {
        const answer = await put('bad', body);
        t.match(answer, { status, json: { code } }, JSON.stringify(body));
        t.ok(JSON.stringify(answer.json.errors).includes(`"${pointer}`), `${pointer} in ${answer.text}`);
      }
      t.match(await put('bad', workflow({ source: 'x'.repeat(1024 * 1024 + 1) })), { status: 413 });
      t.match(await put('bad', workflow({ input: 'x'.repeat(2 * 1024 * 1024) })), { status: 413 });
      for (const name of ['-x', 'a.b', 'a%20b', '%C3%BC', 'x'.repeat(64)]) {
        t.match(await put(name, { cron: FAR }), { status: 400 }, name);
        t.equal((await server.call('member', `DELETE ${at(name)}`)).status, 404, name);
      }
      t.same((await server.call('viewer', `GET ${at()}`)).json, { schedules: [] });
      t.equal((await put('large', workflow({ input: 'x'.repeat(2 * 1024 * 1024 - 2) }))).status, 201);
      t.equal((await server.call('viewer', `GET ${at('large')}`)).json.workflow.input.length, 2 * 1024 * 1024 - 2);
      await server.call('member', `DELETE ${at('large')}`);
    });

    t.test('a credential tells which schedules name it', async (t) => {
      await server.call('admin', `PUT ${server.scoped}/credentials/bot`, { kind: 'bearer', token: 'abcdef' });
      const credentials = { TOKEN: 'bot', OTHER: 'bot' };
      await put('names-it', { cron: FAR, workflow: { ...WORKFLOW, credentials } });
      await put('does-not', { cron: FAR, workflow: WORKFLOW });
      t.same((await server.call('member', `GET ${server.scoped}/credentials/bot/uses`)).json.uses, [
        { kind: 'schedule', name: 'names-it', detail: 'TOKEN, OTHER' },
      ]);
      for (const name of ['names-it', 'does-not']) await server.call('member', `DELETE ${at(name)}`);
    });

    t.test('a tick is an event of the bus, and its run is one of its own', async (t) => {
      await put('pulse', { cron: '* * * * * *', subject: 'heart', workflow: WORKFLOW });
      const tick = await until(async () => {
        const { last_tick } = (await server.call('viewer', `GET ${at('pulse')}`)).json;
        return last_tick;
      });
      await server.call('member', `DELETE ${at('pulse')}`);
      const event = await server.call('viewer', `GET ${server.scoped}/events/${tick.event}`);
      t.match(event.json, {
        event: tick.event,
        type: 'schedule.tick',
        key: 'heart',
        payload: { schedule: 'pulse', due: tick.due },
      });
      const run = (await server.call('viewer', `GET ${server.scoped}/runs/${tick.run_id}`)).json;
      t.match(run, {
        subject: 'heart',
        trigger: { type: 'schedule.tick', schedule: 'pulse', event: tick.event },
        trusted: true,
        generation: 0,
        workflow: 'job.sh',
      });
      const ticks = async () =>
        (await server.call('viewer', `GET ${server.scoped}/events?type=schedule.tick&limit=200`)).json;
      const recorded = (await ticks()).events.length;
      const runs = (await server.call('viewer', `GET ${server.scoped}/runs?limit=200`)).json.runs.length;
      t.equal(runs, recorded, 'one run a tick');
      await put('other', { cron: '* * * * * *' });
      await until(async () => (await ticks()).events.length >= recorded + 2);
      await server.call('member', `DELETE ${at('other')}`);
      t.notOk((await ticks()).events.slice(0, 2).some((one: { source_name: string }) => one.source_name === 'pulse'));
    });

    t.test('a project has so many schedules and no more', async (t) => {
      const database = server.use(Database);
      const { org_id, org, project_id, project } = server.scope;
      for (let i = 0; i < MAX_SCHEDULES - 1; i++)
        await database.write(
          `INSERT INTO schedules_schedules
             (project_id, name, org_id, org, project, schedule_id, revision, cron, timezone, paused, created_at, set_at)
           VALUES (?, ?, ?, ?, ?, ?, 'r', '* * * * *', 'UTC', 1, 0, 0)`,
          [project_id, `filler-${i}`, org_id, org, project, `sch_${i}`],
        );
      t.equal((await put('last', { cron: FAR })).status, 201);
      t.match(await put('beyond', { cron: FAR }), { status: 409, json: { code: 'schedules_full' } });
      t.equal((await server.call('viewer', `GET ${at('beyond')}`)).status, 404);
      t.equal((await put('last', { cron: FAR })).status, 200, 'replacing goes on');
    });
  });
