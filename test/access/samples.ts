import { createHash } from 'node:crypto';
import { Database } from '../../kernel/contracts/index.ts';
import { type Caller, ORG, PROJECT, RIVAL_ORG } from './callers.ts';
import { ACCOUNT_SAMPLES } from './account-samples.ts';
import { DOCUMENT_SAMPLES } from './document-samples.ts';
import { CANARY, fresh, inPlace, must, type Place, program, run, type Sample, SCOPED } from './sampling.ts';

const bearer = { kind: 'bearer', token: CANARY };

const finishedRun: Sample['target'] = async (server, place) => {
  const { run_id } = await must(server, place.by, 'POST', `${inPlace(place)}/runs`, program);
  await must(server, place.by, 'POST', `${inPlace(place)}/runs/${run_id}/cancel`, {});
  return { run: run_id };
};

const pausedRun: Sample['target'] = async (server, place) => {
  const { run_id } = await must(server, place.by, 'POST', `${inPlace(place)}/runs`, { ...program, paused: true });
  return { run: run_id };
};

const signal: Sample['target'] = async (server, place) => ({ ...(await run(server, place)), name: fresh('go') });

const ask: Sample['target'] = async (server, place) => {
  const target = await run(server, place);
  const asks = `${inPlace(place)}/runs/${target.run}/asks`;
  const { ask_id } = await must(server, place.by, 'POST', asks, { name: 'price', payload: CANARY });
  return { ...target, ask: ask_id };
};

const cell: Sample['target'] = async (server, place) => {
  const [entity, key] = [fresh('entity'), fresh('key')];
  await must(server, place.by, 'PUT', `${inPlace(place)}/state/${entity}/${key}`, { value: CANARY });
  return { entity, key };
};

const token: Sample['target'] = async (server, { by }) => {
  const { id } = await must(server, by, 'POST', '/api/v1/tokens', { name: fresh('token') });
  return { id };
};

const agentToken: Sample['target'] = async (server, { org, by }) => {
  const body = { name: fresh('agent'), kind: 'agent', org, expires_in: '1h' };
  const { id } = await must(server, by, 'POST', '/api/v1/tokens', body);
  return { id };
};

const orgMember: Sample['target'] = async (server, { org, by }) => {
  const user = fresh('user');
  await must(server, by, 'PUT', `/api/v1/orgs/${org}/members/${user}`, { role: 'member' });
  return { user };
};

const projectMember: Sample['target'] = async (server, place) => {
  const user = fresh('user');
  await must(server, place.by, 'PUT', `${inPlace(place)}/members/${user}`, { role: 'viewer' });
  return { user };
};

/** Of the other org's owner, or of somebody of this org. */
const elsewhere = ({ by }: Place) => (by === 'rival' ? 'vera' : 'rita');

/** To a new org, so that nobody of the matrix becomes a member of the one in question. */
const invitation: Sample['target'] = async (server, place) => {
  const [org, user] = [fresh('org'), elsewhere(place)];
  await must(server, place.by, 'PUT', `/api/v1/orgs/${org}`);
  const members = `/api/v1/orgs/${org}/members/${user}`;
  await must(server, place.by, 'PUT', members, { role: 'member' });
  const [row] = await server
    .use(Database)
    .read<{ invitation_id: string }>(
      'SELECT invitation_id FROM access_invitations ORDER BY invitation_id DESC LIMIT 1',
    );
  return { id: row!.invitation_id };
};

/** Somebody whom the other org has made. */
const invited =
  (path: (place: Place) => string): Sample['target'] =>
  async (server, place) => {
    const user = fresh('user');
    const [by, org] = place.by === 'rival' ? (['owner', ORG] as const) : (['rival', RIVAL_ORG] as const);
    await must(server, by, 'PUT', `/api/v1/orgs/${org}/members/${user}`, { role: 'member' });
    const role = path(place).includes('/projects/') ? 'viewer' : 'member';
    await must(server, place.by, 'PUT', `${path(place)}/members/${user}`, { role });
    return { user };
  };

/** A name that nobody has yet, so that every `PUT` of it makes something. */
const unused =
  (param: string, prefix: string): Sample['target'] =>
  async () => ({ [param]: fresh(prefix) });

const secret: Sample['target'] = async (server, place) => {
  const name = fresh('SECRET');
  await must(server, place.by, 'PUT', `${inPlace(place)}/secrets/${name}`, { value: CANARY });
  return { secret: name };
};

const variable: Sample['target'] = async (server, place) => {
  const name = fresh('VARIABLE');
  await must(server, place.by, 'PUT', `${inPlace(place)}/vars/${name}`, { value: CANARY });
  return { variable: name };
};

/** An error about a missing view suggests similar names of the same project, so no two names here are similar. */
const view: Sample['target'] = async (server, place) => {
  const name = `v0${createHash('sha256').update(fresh('view')).digest('hex').slice(0, 38)}`;
  await must(server, place.by, 'PUT', `${inPlace(place)}/views/${name}`, { filter: { tag: 'team:web' } });
  return { view: name };
};

const orgVariable: Sample['target'] = async (server, { by, org }) => {
  const name = fresh('VARIABLE');
  await must(server, by, 'PUT', `/api/v1/orgs/${org}/vars/${name}`, { value: CANARY });
  return { variable: name };
};

/** A workflow that a worker of the project has registered and serves no more. */
const func: Sample['target'] = async (server, { org, project }) => {
  const name = fresh('fn');
  const database = server.use(Database);
  const [place] = await database.read<{ org_id: string; project_id: string }>(
    'SELECT o.org_id, p.project_id FROM access_orgs o JOIN access_projects p ON p.org_id = o.org_id WHERE o.name = ? AND p.name = ?',
    [org, project],
  );
  await database.write(
    `INSERT INTO functions_functions (org_id, project_id, name, version, versions, registered_at, seen_at)
     VALUES (?, ?, ?, 'v1', 'replay', 1, 1)`,
    [place!.org_id, place!.project_id, name],
  );
  return { function: name };
};

const yearly = { cron: '@yearly', workflow: program };

const schedule: Sample['target'] = async (server, place) => {
  const name = fresh('schedule');
  await must(server, place.by, 'PUT', `${inPlace(place)}/schedules/${name}`, yearly);
  return { schedule: name };
};

const PAUSED_TRIGGER = {
  connector: 'issue_tracker',
  trigger: 'issue_created',
  with: { site: 'https://tracker.example.net' },
  paused: true,
};

/** It is paused, so that nothing is asked. */
const trigger: Sample['target'] = async (server, place) => {
  const name = fresh('trigger');
  const tracker = { kind: 'basic', username: 'me', password: 'pass-of-tracker' };
  await must(server, place.by, 'PUT', `${inPlace(place)}/credentials/tracker`, tracker);
  await must(server, place.by, 'PUT', `${inPlace(place)}/triggers/${name}`, {
    ...PAUSED_TRIGGER,
    credential: 'tracker',
  });
  return { trigger: name };
};

/** Its address is not allowed, so that nothing is asked. */
const runningTrigger: Sample['target'] = async (server, place) => {
  const made = (await trigger(server, place))!;
  const body = { ...PAUSED_TRIGGER, credential: 'tracker', with: { site: 'https://127.0.0.1' }, paused: false };
  await must(server, place.by, 'PUT', `${inPlace(place)}/triggers/${made.trigger}`, body);
  return made;
};

const pausedSchedule: Sample['target'] = async (server, place) => {
  const made = (await schedule(server, place))!;
  await must(server, place.by, 'POST', `${inPlace(place)}/schedules/${made.schedule}/pause`);
  return made;
};

const handler: Sample['target'] = async (server, place) => {
  const name = fresh('handler');
  await must(server, place.by, 'PUT', `${inPlace(place)}/handlers/${name}`, { on: ['nothing'], source: CANARY });
  return { handler: name };
};

const vaultStore = { kind: 'vault', url: 'http://127.0.0.1:1', login: { token: CANARY } };

const secretStore: Sample['target'] = async (server, place) => {
  const name = fresh('store');
  await must(server, place.by, 'PUT', `${inPlace(place)}/secret-stores/${name}`, vaultStore);
  return { secret_store: name };
};

const credential: Sample['target'] = async (server, place) => {
  const name = fresh('bot');
  await must(server, place.by, 'PUT', `${inPlace(place)}/credentials/${name}`, bearer);
  return { credential: name };
};

const event: Sample['target'] = async (server, place) => {
  const made = await must(server, place.by, 'POST', `${inPlace(place)}/events`, { type: 'ci.done', payload: CANARY });
  return { event: made.event };
};

/** A project can have four that run. Beside a fuzz, which begins many, one of those serves. */
const eventReplay: Sample['target'] = async (server, place) => {
  const path = `${inPlace(place)}/event-replays`;
  const made = await server.call(place.by, 'POST', path, { type: 'ci.nothing' });
  if (made.status === 201) return { replay: made.json.replay };
  const { event_replays } = await must(server, place.by, 'GET', path);
  return { replay: event_replays[0].replay };
};

const eventHook: Sample['target'] = async (server, place) => {
  const name = fresh('hook');
  await must(server, place.by, 'PUT', `${inPlace(place)}/event-hooks/${name}`, { event_type: 'ci.done' });
  return { hook: name };
};

/** Of a hook with a shared token, which nobody of the matrix sends. */
const hookAddress: Sample['target'] = async (server, place) => {
  const path = `${inPlace(place)}/event-hooks/${fresh('hook')}`;
  const { ingest_url } = await must(server, place.by, 'PUT', path, {});
  return { hook: ingest_url.split('/').at(-1) };
};

const forgeWebhook = { forge: 'forge_a', repo: 'acme/site' };

const webhook: Sample['target'] = async (server, place) => {
  const name = fresh('webhook');
  await must(server, place.by, 'PUT', `${inPlace(place)}/webhooks/${name}`, forgeWebhook);
  return { webhook: name };
};

/** Of a webhook, whose signature nobody of the matrix makes. */
const webhookAddress: Sample['target'] = async (server, place) => {
  const path = `${inPlace(place)}/webhooks/${fresh('webhook')}`;
  const { delivery_url } = await must(server, place.by, 'PUT', path, forgeWebhook);
  return { webhook_id: delivery_url.split('/').at(-1) };
};

/** Callers whose tokens are their own but who may not make what the route makes. */
const only = (callers: readonly Caller[], status: number) => Object.fromEntries(callers.map((one) => [one, status]));
const PEOPLE: readonly Caller[] = ['outsider', 'viewer', 'member', 'admin', 'owner', 'capped', 'elsewhere', 'rival'];
const but = (allowed: readonly Caller[]) => PEOPLE.filter((caller) => !allowed.includes(caller));

/** Every route of the service. One that is not in this table fails the test, and so does one that is gone. */
export const SAMPLES: Readonly<Record<string, Sample>> = {
  'GET /healthz': { rule: 'public', status: 200 },
  'GET /readyz': { rule: 'public', status: 200 },
  'GET /metrics': { rule: 'public', status: 200 },
  'GET /api/v1/openapi.json': { rule: 'public', status: 200 },
  'GET /.well-known/openid-configuration': { rule: 'public', status: 200 },
  'GET /.well-known/jwks.json': { rule: 'public', status: 200 },

  'GET /api/v1/whoami': { rule: 'user', status: 200 },
  'GET /api/v1/plugins': { rule: 'user', status: 200 },
  'GET /api/v1/server': { rule: 'user', status: 200 },
  'GET /api/v1/orgs/:org/server/settings': { rule: 'org owner', status: 200 },
  'GET /api/v1/orgs': { rule: 'user', status: 200 },
  'GET /api/v1/orgs/:org': { rule: 'org member', status: 200 },
  'PUT /api/v1/orgs/:org': {
    rule: 'user',
    status: 201,
    target: unused('org', 'org'),
    audits: 'org.create',
    except: only(but(['owner', 'rival']), 403),
    tells: 'names of orgs are shared by all, so that a taken one must be refused to an owner of another',
  },
  'GET /api/v1/orgs/:org/projects': { rule: 'org member', status: 200 },
  'GET /api/v1/orgs/:org/projects/:project': { rule: 'project viewer', status: 200 },
  'PUT /api/v1/orgs/:org/projects/:project': {
    rule: 'org owner',
    status: 201,
    target: unused('project', 'project'),
    audits: 'project.create',
  },
  'GET /api/v1/orgs/:org/audit': { rule: 'org owner', status: 200 },
  [`GET ${SCOPED}/audit`]: { rule: 'project admin', status: 200 },

  'GET /api/v1/tokens': { rule: 'user', status: 200 },
  'POST /api/v1/tokens': { rule: 'user', status: 201, body: { name: 'mine' }, audits: 'token.create' },
  'GET /api/v1/tokens/:id': { rule: 'user', status: 200, target: token, except: only(but(['owner']), 404) },
  'DELETE /api/v1/tokens/:id': {
    rule: 'user',
    status: 204,
    target: token,
    audits: 'token.revoke',
    except: only(but(['owner']), 404),
  },

  'POST /api/v1/tokens/:id/renew': {
    rule: 'user',
    status: 200,
    body: { expires_in: '2h' },
    target: agentToken,
    audits: 'token.renew',
    except: only(but(['owner']), 404),
  },

  'GET /api/v1/orgs/:org/members': { rule: 'org member', status: 200 },
  'GET /api/v1/orgs/:org/members/:user': { rule: 'org member', status: 200, target: orgMember },
  'PUT /api/v1/orgs/:org/members/:user': {
    rule: 'org owner',
    status: 201,
    body: { role: 'member' },
    target: unused('user', 'user'),
    audits: 'member.set',
  },
  // Of another: only oneself may leave without being an owner.
  'DELETE /api/v1/orgs/:org/members/:user': {
    rule: 'org member',
    status: 204,
    target: orgMember,
    audits: 'member.remove',
    except: only(['outsider', 'viewer', 'member', 'admin', 'capped', 'elsewhere'], 403),
  },
  [`GET ${SCOPED}/members`]: { rule: 'project viewer', status: 200 },
  [`GET ${SCOPED}/members/:user`]: { rule: 'project viewer', status: 200, target: projectMember },
  [`PUT ${SCOPED}/members/:user`]: {
    rule: 'project admin',
    status: 201,
    body: { role: 'viewer' },
    target: unused('user', 'user'),
    audits: 'member.set',
  },
  [`DELETE ${SCOPED}/members/:user`]: {
    rule: 'project viewer',
    status: 204,
    target: projectMember,
    audits: 'member.remove',
    except: only(['viewer', 'member', 'capped'], 403),
  },

  'GET /api/v1/invitations': { rule: 'user', status: 200, except: only(['capped', 'elsewhere'], 403) },
  'POST /api/v1/invitations/:id/accept': {
    rule: 'user',
    status: 200,
    target: invitation,
    audits: 'invitation.accept',
    unlocated: true,
    except: { ...only(but(['rival']), 404), ...only(['capped', 'elsewhere'], 403) },
  },
  'POST /api/v1/invitations/:id/decline': {
    rule: 'user',
    status: 204,
    target: invitation,
    audits: 'invitation.decline',
    unlocated: true,
    except: { ...only(but(['rival']), 404), ...only(['capped', 'elsewhere'], 403) },
  },
  'GET /api/v1/orgs/:org/invitations': { rule: 'org owner', status: 200 },
  'DELETE /api/v1/orgs/:org/invitations/:user': {
    rule: 'org owner',
    status: 204,
    target: invited(({ org }) => `/api/v1/orgs/${org}`),
    audits: 'invitation.withdraw',
  },
  [`GET ${SCOPED}/invitations`]: { rule: 'project admin', status: 200 },
  [`DELETE ${SCOPED}/invitations/:user`]: {
    rule: 'project admin',
    status: 204,
    target: invited(inPlace),
    audits: 'invitation.withdraw',
  },

  [`POST ${SCOPED}/check`]: { rule: 'project viewer', status: 200, body: { source: '#!/bin/sh\ntrue\n' } },
  [`POST ${SCOPED}/inputs`]: { rule: 'project viewer', status: 200, body: { source: '#!/bin/sh\ntrue\n' } },
  [`POST ${SCOPED}/runs`]: { rule: 'project member', status: 201, body: program, audits: 'run.submit' },
  [`GET ${SCOPED}/console/extensions`]: { rule: 'project viewer', status: 200 },
  [`GET ${SCOPED}/insights`]: { rule: 'project viewer', status: 200 },
  [`GET ${SCOPED}/summary`]: { rule: 'project viewer', status: 200 },
  // Without topics: a stream does not end.
  [`GET ${SCOPED}/live`]: { rule: 'project viewer', status: 400 },
  [`GET ${SCOPED}/runs`]: { rule: 'project viewer', status: 200 },
  [`GET ${SCOPED}/run-export`]: { rule: 'project viewer', status: 200 },
  [`GET ${SCOPED}/runs/:run`]: { rule: 'project viewer', status: 200, target: run },
  [`GET ${SCOPED}/runs/:run/steps`]: { rule: 'project viewer', status: 200, target: run },
  [`GET ${SCOPED}/runs/:run/logs`]: { rule: 'project viewer', status: 200, target: run },
  [`GET ${SCOPED}/runs/:run/explanation`]: { rule: 'project viewer', status: 200, target: run },
  [`POST ${SCOPED}/mcp`]: {
    rule: 'project viewer',
    status: 200,
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_runs', arguments: {} } },
    audits: 'mcp.call',
  },
  [`GET ${SCOPED}/runs/:run/retry`]: { rule: 'project viewer', status: 200, target: run },
  [`GET ${SCOPED}/runs/:run/history`]: { rule: 'project member', status: 200, target: run },
  [`GET ${SCOPED}/runs/:run/document`]: { rule: 'project viewer', status: 200, target: run },
  [`GET ${SCOPED}/runs/:run/input`]: { rule: 'project member', status: 200, target: run },
  [`GET ${SCOPED}/runs/:run/chain`]: { rule: 'project viewer', status: 200, target: run },
  [`POST ${SCOPED}/runs/:run/cancel`]: {
    rule: 'project member',
    status: 200,
    body: { reason: CANARY },
    target: run,
    audits: 'run.cancel',
  },
  [`POST ${SCOPED}/runs/:run/pause`]: {
    rule: 'project member',
    status: 200,
    body: { reason: CANARY },
    target: run,
    audits: 'run.pause',
  },
  [`POST ${SCOPED}/runs/:run/resume`]: {
    rule: 'project member',
    status: 200,
    target: pausedRun,
    audits: 'run.resume',
  },
  [`POST ${SCOPED}/runs/:run/rerun`]: {
    rule: 'project member',
    status: 201,
    body: {},
    target: finishedRun,
    audits: 'run.rerun',
  },
  [`GET ${SCOPED}/locks`]: { rule: 'project viewer', status: 200 },
  [`GET ${SCOPED}/applied`]: { rule: 'project viewer', status: 200 },
  [`POST ${SCOPED}/applied/:kind`]: {
    rule: 'project member',
    status: 200,
    body: { add: ['anything'] },
    target: async () => ({ kind: 'handlers' }),
    tells: 'the kinds are the same in every project',
    audits: 'apply.mark',
  },
  [`POST ${SCOPED}/runs/:run/signals/:name`]: {
    rule: 'project member',
    status: 202,
    body: CANARY,
    target: signal,
    audits: 'run.signal',
  },
  // Nothing of the matrix asks a person; the features of approvals read the audit entries.
  [`POST ${SCOPED}/runs/:run/signals/:name/reject`]: {
    rule: 'project member',
    status: 409,
    body: { reason: CANARY },
    target: signal,
  },
  [`POST ${SCOPED}/runs/:run/signals/:name/links`]: {
    rule: 'project member',
    status: 409,
    body: { for: CANARY },
    target: signal,
  },
  [`GET ${SCOPED}/runs/:run/questions`]: { rule: 'project viewer', status: 200, target: run },
  'GET /answer/:link': { rule: 'public', status: 404, target: async () => ({ link: 'no-link' }) },
  'POST /answer/:link': { rule: 'public', status: 404, target: async () => ({ link: 'no-link' }) },
  [`GET ${SCOPED}/runs/:run/signals`]: { rule: 'project viewer', status: 200, target: run },
  [`POST ${SCOPED}/runs/:run/asks`]: {
    rule: 'project member',
    status: 201,
    body: { name: 'price', payload: CANARY },
    target: run,
    audits: 'run.ask',
  },
  [`GET ${SCOPED}/runs/:run/asks`]: { rule: 'project viewer', status: 200, target: run },
  [`GET ${SCOPED}/runs/:run/asks/:ask`]: { rule: 'project viewer', status: 200, target: ask },
  [`GET ${SCOPED}/state/:entity`]: {
    rule: 'project viewer',
    status: 200,
    target: async (server, place) => ({ entity: (await cell(server, place)).entity! }),
  },
  [`GET ${SCOPED}/state/:entity/:key`]: { rule: 'project viewer', status: 200, target: cell },
  [`PUT ${SCOPED}/state/:entity/:key`]: {
    rule: 'project member',
    status: 200,
    body: { value: CANARY },
    target: cell,
    audits: 'state.set',
  },
  [`GET ${SCOPED}/run-settings`]: { rule: 'project viewer', status: 200 },
  [`PUT ${SCOPED}/run-settings`]: {
    rule: 'project admin',
    status: 200,
    body: { timeout: null },
    audits: 'run_settings.set',
  },
  [`DELETE ${SCOPED}/state/:entity/:key`]: {
    rule: 'project member',
    status: 204,
    target: cell,
    audits: 'state.delete',
  },

  [`GET ${SCOPED}/schedules`]: { rule: 'project viewer', status: 200 },
  [`GET ${SCOPED}/schedules/:schedule`]: { rule: 'project viewer', status: 200, target: schedule },
  [`GET ${SCOPED}/schedules/:schedule/next`]: { rule: 'project viewer', status: 200, target: schedule },
  [`PUT ${SCOPED}/schedules/:schedule`]: {
    rule: 'project member',
    status: 200,
    body: { cron: '@yearly' },
    target: schedule,
    audits: 'schedule.set',
  },
  [`DELETE ${SCOPED}/schedules/:schedule`]: {
    rule: 'project member',
    status: 204,
    target: schedule,
    audits: 'schedule.delete',
  },
  [`POST ${SCOPED}/schedules/:schedule/trigger`]: {
    rule: 'project member',
    status: 200,
    target: schedule,
    audits: 'schedule.trigger',
  },
  [`POST ${SCOPED}/schedules/:schedule/backfill`]: {
    rule: 'project member',
    status: 200,
    body: { from: '1h' },
    target: schedule,
    audits: 'schedule.backfill',
  },
  [`POST ${SCOPED}/schedules/:schedule/pause`]: {
    rule: 'project member',
    status: 200,
    target: schedule,
    audits: 'schedule.pause',
  },
  [`POST ${SCOPED}/schedules/:schedule/resume`]: {
    rule: 'project member',
    status: 200,
    target: pausedSchedule,
    audits: 'schedule.resume',
  },

  [`GET ${SCOPED}/triggers`]: { rule: 'project viewer', status: 200 },
  [`GET ${SCOPED}/triggers/:trigger`]: { rule: 'project viewer', status: 200, target: trigger },
  [`PUT ${SCOPED}/triggers/:trigger`]: {
    rule: 'project member',
    status: 200,
    body: { ...PAUSED_TRIGGER, credential: 'tracker' },
    target: trigger,
    audits: 'trigger.set',
  },
  [`DELETE ${SCOPED}/triggers/:trigger`]: {
    rule: 'project member',
    status: 204,
    target: trigger,
    audits: 'trigger.delete',
  },
  [`POST ${SCOPED}/triggers/:trigger/poll`]: {
    rule: 'project member',
    status: 200,
    target: runningTrigger,
    audits: 'trigger.poll',
  },
  [`POST ${SCOPED}/triggers/:trigger/pause`]: {
    rule: 'project member',
    status: 200,
    target: trigger,
    audits: 'trigger.pause',
  },
  [`POST ${SCOPED}/triggers/:trigger/resume`]: {
    rule: 'project member',
    status: 200,
    target: trigger,
    audits: 'trigger.resume',
  },

  [`GET ${SCOPED}/node-types`]: { rule: 'project viewer', status: 200 },

  [`GET ${SCOPED}/handlers`]: { rule: 'project viewer', status: 200 },
  [`GET ${SCOPED}/handlers/:handler`]: { rule: 'project viewer', status: 200, target: handler },
  [`PUT ${SCOPED}/handlers/:handler`]: {
    rule: 'project member',
    status: 200,
    body: { on: ['nothing'], source: 'true' },
    target: handler,
    audits: 'handler.set',
  },
  [`DELETE ${SCOPED}/handlers/:handler`]: {
    rule: 'project member',
    status: 204,
    target: handler,
    audits: 'handler.delete',
  },
  [`POST ${SCOPED}/handlers/:handler/test`]: {
    rule: 'project member',
    status: 404,
    body: { event: 'evt_none' },
    target: handler,
  },

  [`GET ${SCOPED}/connectors`]: { rule: 'project viewer', status: 200 },
  [`GET ${SCOPED}/connectors/:connector`]: {
    rule: 'project viewer',
    status: 200,
    target: async () => ({ connector: 'team_chat' }),
    tells: 'the connectors are those of the server: every project has the same',
  },

  [`GET ${SCOPED}/secrets`]: { rule: 'project member', status: 200 },
  [`GET ${SCOPED}/secrets/:secret`]: { rule: 'project member', status: 200, target: secret, audits: 'secret.read' },
  [`PUT ${SCOPED}/secrets/:secret`]: {
    rule: 'project admin',
    status: 200,
    body: { value: CANARY },
    target: secret,
    audits: 'secret.set',
  },
  [`DELETE ${SCOPED}/secrets/:secret`]: {
    rule: 'project admin',
    status: 204,
    target: secret,
    audits: 'secret.delete',
  },

  [`GET ${SCOPED}/secret-stores`]: { rule: 'project member', status: 200 },
  [`GET ${SCOPED}/secret-stores/:secret_store`]: { rule: 'project member', status: 200, target: secretStore },
  [`PUT ${SCOPED}/secret-stores/:secret_store`]: {
    rule: 'project admin',
    status: 200,
    body: vaultStore,
    target: secretStore,
    audits: 'secret_store.set',
  },
  [`DELETE ${SCOPED}/secret-stores/:secret_store`]: {
    rule: 'project admin',
    status: 204,
    target: secretStore,
    audits: 'secret_store.delete',
  },
  [`POST ${SCOPED}/secret-stores/:secret_store/test`]: {
    rule: 'project admin',
    status: 200,
    body: { path: 'app/db', field: 'password' },
    target: secretStore,
    audits: 'secret_store.test',
  },

  [`GET ${SCOPED}/vars`]: { rule: 'project viewer', status: 200 },
  [`GET ${SCOPED}/vars/:variable`]: { rule: 'project viewer', status: 200, target: variable },
  [`PUT ${SCOPED}/vars/:variable`]: {
    rule: 'project admin',
    status: 200,
    body: { value: 'shown again' },
    target: variable,
    audits: 'variable.set',
  },
  [`DELETE ${SCOPED}/vars/:variable`]: {
    rule: 'project admin',
    status: 204,
    target: variable,
    audits: 'variable.delete',
  },
  [`GET ${SCOPED}/views`]: { rule: 'project viewer', status: 200 },
  [`GET ${SCOPED}/views/:view`]: { rule: 'project viewer', status: 200, target: view },
  [`PUT ${SCOPED}/views/:view`]: {
    rule: 'project member',
    status: 200,
    body: { filter: { status: 'failed' } },
    target: view,
    audits: 'view.set',
  },
  [`DELETE ${SCOPED}/views/:view`]: {
    rule: 'project member',
    status: 204,
    target: view,
    audits: 'view.delete',
  },
  'GET /api/v1/orgs/:org/vars': { rule: 'org member', status: 200 },
  'GET /api/v1/orgs/:org/vars/:variable': { rule: 'org member', status: 200, target: orgVariable },
  'PUT /api/v1/orgs/:org/vars/:variable': {
    rule: 'org owner',
    status: 200,
    body: { value: 'shown again' },
    target: orgVariable,
    audits: 'variable.set',
  },
  'DELETE /api/v1/orgs/:org/vars/:variable': {
    rule: 'org owner',
    status: 204,
    target: orgVariable,
    audits: 'variable.delete',
  },

  [`GET ${SCOPED}/credentials`]: { rule: 'project member', status: 200 },
  [`GET ${SCOPED}/credentials/:credential/uses`]: { rule: 'project member', status: 200, target: credential },
  [`PUT ${SCOPED}/credentials/:credential`]: {
    rule: 'project admin',
    status: 200,
    body: bearer,
    target: credential,
    audits: 'credential.set',
  },
  // The server of the matrix reaches no other system.
  [`POST ${SCOPED}/credentials/:credential/test`]: {
    rule: 'project member',
    status: 200,
    body: { url: 'https://127.0.0.1:1/' },
    target: credential,
    audits: 'credential.test',
  },
  [`DELETE ${SCOPED}/credentials/:credential`]: {
    rule: 'project admin',
    status: 204,
    target: credential,
    audits: 'credential.delete',
  },

  [`POST ${SCOPED}/events`]: {
    rule: 'project member',
    status: 201,
    body: { type: 'ci.done', payload: CANARY },
    audits: 'event.emit',
  },
  [`GET ${SCOPED}/events`]: { rule: 'project viewer', status: 200 },
  [`GET ${SCOPED}/events/:event`]: { rule: 'project viewer', status: 200, target: event },
  [`POST ${SCOPED}/events/:event/replay`]: {
    rule: 'project member',
    status: 404,
    body: { handler: 'nobody' },
    target: event,
  },
  [`POST ${SCOPED}/event-replays`]: {
    rule: 'project member',
    status: 201,
    body: { type: 'ci.nothing' },
    audits: 'event.replay_many',
  },
  [`GET ${SCOPED}/event-replays`]: { rule: 'project viewer', status: 200 },
  [`GET ${SCOPED}/event-replays/:replay`]: { rule: 'project viewer', status: 200, target: eventReplay },
  [`POST ${SCOPED}/event-replays/:replay/cancel`]: {
    rule: 'project member',
    status: 200,
    target: eventReplay,
    audits: 'event.replay_cancel',
  },
  [`GET ${SCOPED}/dead-letters`]: { rule: 'project viewer', status: 200 },
  [`POST ${SCOPED}/dead-letters/:letter/redeliver`]: {
    rule: 'project member',
    status: 404,
    body: {},
    target: async () => ({ letter: 'dlt_none' }),
    tells: 'no letter has this ID in any project',
  },
  [`DELETE ${SCOPED}/dead-letters/:letter`]: {
    rule: 'project member',
    status: 404,
    target: async () => ({ letter: 'dlt_none' }),
    tells: 'no letter has this ID in any project',
  },
  [`POST ${SCOPED}/dead-letters/dismiss`]: { rule: 'project member', status: 200, body: { handler: 'nobody' } },
  [`GET ${SCOPED}/events/:event/chain`]: { rule: 'project viewer', status: 200, target: event },
  [`GET ${SCOPED}/event-types`]: { rule: 'project viewer', status: 200 },
  [`GET ${SCOPED}/reach`]: { rule: 'project member', status: 200, query: '?type=sample.type' },

  [`GET ${SCOPED}/event-hooks`]: { rule: 'project viewer', status: 200 },
  [`GET ${SCOPED}/event-hooks/:hook`]: { rule: 'project viewer', status: 200, target: eventHook },
  [`PUT ${SCOPED}/event-hooks/:hook`]: {
    rule: 'project admin',
    status: 201,
    body: { hmac: { header: 'X-Signature', key: CANARY } },
    target: unused('hook', 'hook'),
    audits: 'hook.set',
    tells: 'it makes a hook of that name either way, whose address is its own',
  },
  [`POST ${SCOPED}/event-hooks/:hook/rotate`]: {
    rule: 'project admin',
    status: 200,
    target: eventHook,
    audits: 'hook.rotate',
  },
  [`GET ${SCOPED}/event-hooks/:hook/deliveries`]: { rule: 'project viewer', status: 200, target: eventHook },
  [`POST ${SCOPED}/event-hooks/:hook/deliveries/:delivery/redeliver`]: {
    rule: 'project member',
    status: 404,
    target: async (server, place) => ({ ...(await eventHook(server, place)), delivery: 'dlv_none' }),
  },
  [`DELETE ${SCOPED}/event-hooks/:hook`]: {
    rule: 'project admin',
    status: 204,
    target: eventHook,
    audits: 'hook.delete',
  },
  // Its own secret decides, whoever asks; a bearer token counts for nothing.
  'POST /api/v1/hooks/:hook': { rule: 'public', status: 401, target: hookAddress },

  [`GET ${SCOPED}/webhooks`]: { rule: 'project viewer', status: 200 },
  [`GET ${SCOPED}/webhooks/:webhook`]: { rule: 'project viewer', status: 200, target: webhook },
  [`PUT ${SCOPED}/webhooks/:webhook`]: {
    rule: 'project admin',
    status: 201,
    body: { ...forgeWebhook, workflow: { filename: 'ci.sh', source: CANARY } },
    target: unused('webhook', 'webhook'),
    audits: 'webhook.set',
    tells: 'it makes a webhook of that name either way, whose address is its own',
  },
  [`POST ${SCOPED}/webhooks/:webhook/rotate`]: {
    rule: 'project admin',
    status: 200,
    target: webhook,
    audits: 'webhook.rotate',
  },
  [`GET ${SCOPED}/webhooks/:webhook/deliveries`]: { rule: 'project viewer', status: 200, target: webhook },
  [`POST ${SCOPED}/webhooks/:webhook/deliveries/:delivery/redeliver`]: {
    rule: 'project member',
    status: 404,
    target: async (server, place) => ({ ...(await webhook(server, place)), delivery: 'dlv_none' }),
  },
  [`DELETE ${SCOPED}/webhooks/:webhook`]: {
    rule: 'project admin',
    status: 204,
    target: webhook,
    audits: 'webhook.delete',
  },
  // A signature of its own decides, whoever asks; a bearer token counts for nothing.
  'POST /api/v1/forges/:webhook_id': { rule: 'public', status: 401, target: webhookAddress },

  ...ACCOUNT_SAMPLES,
  ...DOCUMENT_SAMPLES,

  'GET /api/v1/agents': { rule: 'user', status: 200 },
  'GET /api/v1/agents/connect': { rule: 'agent', status: 426 },
  'PUT /api/v1/agents/functions': {
    rule: 'agent',
    status: 204,
    body: { functions: [{ name: 'order', version: 'v1', versions: 'replay' }] },
  },
  [`GET ${SCOPED}/functions`]: { rule: 'project viewer', status: 200 },
  [`GET ${SCOPED}/functions/:function`]: { rule: 'project viewer', status: 200, target: func },
  [`DELETE ${SCOPED}/functions/:function`]: {
    rule: 'project admin',
    status: 204,
    target: func,
    audits: 'function.delete',
  },
};

/** The org and project that the matrix is about. */
export const OWN: Place = { org: ORG, project: PROJECT, by: 'owner' };
