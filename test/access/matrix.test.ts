import t, { type Test } from 'tap';
import { Database, HttpRoutes, type Route } from '../../kernel/contracts/index.ts';
import { HttpPages } from '../../plugins/platform/http/contract.ts';
import {
  type Caller,
  CALLERS,
  type MatrixAnswer,
  type MatrixServer,
  openServer,
  ORG,
  PROJECT,
  RIVAL_ORG,
  SIDE,
} from './callers.ts';
import { STORES } from '../kit/index.ts';
import { storesOf } from '../support/length.ts';
import { refusal } from './policy.ts';
import { OWN, SAMPLES } from './samples.ts';
import { CANARY, type Params, type Place, type Sample } from './sampling.ts';

const NO_ORG = 'absentorg';
const NO_PROJECT = 'absentprojt';

const methodOf = (route: string) => route.slice(0, route.indexOf(' '));

/** The path of a route with its parameters filled in. */
function pathOf(route: string, params: Params): string {
  const filled = route.slice(route.indexOf(' ') + 1).replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${route}: nothing for :${name}`);
    return encodeURIComponent(value);
  });
  return filled;
}

const ruleText = ({ access }: Pick<Route, 'access'>): string =>
  'role' in access ? `${access.kind} ${access.role}` : access.kind;

/** What was asked, so that the audit can be compared with it at the end. */
interface Asked {
  route: string;
  caller: Caller;
  answer: MatrixAnswer;
}

class Matrix {
  readonly asked: Asked[] = [];
  readonly #server: MatrixServer;

  constructor(server: MatrixServer) {
    this.#server = server;
  }

  async ask(route: string, caller: Caller, params: Params): Promise<MatrixAnswer> {
    const sample = SAMPLES[route]!;
    const path = `${pathOf(route, params)}${sample.query ?? ''}`;
    const answer = await this.#server.call(caller, methodOf(route), path, sample.body);
    this.asked.push({ route, caller, answer });
    return answer;
  }

  async target(sample: Sample, place: Place = OWN): Promise<Params> {
    const made = (await sample.target?.(this.#server, place)) ?? {};
    return { org: place.org, project: place.project, ...made };
  }
}

/** Ids of requests and times differ between any two answers; the names given are what was asked for. */
function plain({ status, text, request_id }: MatrixAnswer, names: readonly string[]): string {
  let bare = text.replaceAll(request_id, 'REQUEST').replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, 'TIME');
  for (const name of names.toSorted((a, b) => b.length - a.length)) bare = bare.replaceAll(name, 'NAME');
  return `${status} ${bare}`;
}

/** Of the same shape, and nobody's. */
const absentLike = (value: string): string =>
  /^[a-z]+_[0-9A-Z]{26}$/.test(value) ? value.replace(/.{12}$/, 'ZZZZZZZZZZZZ') : value.replace('0', 'x');

for (const store of storesOf(STORES))
  t.test(`who may do what on ${store}`, async (t) => {
    const server = await openServer(store);
    t.teardown(() => server.close());
    const matrix = new Matrix(server);
    await t.test('every route is in the table, with its rule', (t) => everyRouteIsKnown(t, server));
    await t.test('every route, asked by everybody', (t) => everyRouteByEverybody(t, matrix));
    await t.test('a foreign org or project answers like an absent one', (t) => foreignPlaces(t, matrix));
    await t.test('a foreign id answers like an absent one', (t) => foreignThings(t, matrix));
    await t.test('the audit holds what was done, and nothing else', (t) => auditHolds(t, server, matrix));
  });

async function everyRouteIsKnown(t: Test, server: MatrixServer): Promise<void> {
  const routes = server.use.all(HttpRoutes);
  for (const route of routes) {
    const name = `${route.method} ${route.path.replace('*', ':path')}`;
    t.equal(SAMPLES[name]?.rule, ruleText(route), `${name} has the rule of the table`);
  }
  const { json } = await server.call('nobody', 'GET', '/api/v1/openapi.json');
  const served = Object.entries(json.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  );
  t.same(served.toSorted(), Object.keys(SAMPLES).toSorted(), 'what is served is what the table holds');
  for (const { path } of server.use.all(HttpPages))
    t.notMatch(path, /^\/api\//, 'pages, which are public, lie outside of the API');
}

async function everyRouteByEverybody(t: Test, matrix: Matrix): Promise<void> {
  for (const [route, sample] of Object.entries(SAMPLES)) {
    const kept = await matrix.target(sample);
    for (const caller of CALLERS) {
      const refused = refusal(sample.rule, caller) ?? sample.except?.[caller];
      const params = refused === undefined ? await matrix.target(sample) : kept;
      const { status, text } = await matrix.ask(route, caller, params);
      const expected = refused ?? sample.status;
      if (status !== expected) t.fail(`${caller}: ${route}: ${status} instead of ${expected}: ${text.slice(0, 300)}`);
    }
  }
  t.ok(matrix.asked.length >= Object.keys(SAMPLES).length * CALLERS.length, `${matrix.asked.length} requests`);
}

async function foreignPlaces(t: Test, matrix: Matrix): Promise<void> {
  let compared = 0;
  const compare = async (route: string, caller: Caller, foreign: Params, absent: Params) => {
    const [one, other] = [await matrix.ask(route, caller, foreign), await matrix.ask(route, caller, absent)];
    compared += 1;
    t.equal(one.status, 404, `${caller}: ${route}`);
    t.equal(plain(one, Object.values(foreign)), plain(other, Object.values(absent)), `${caller}: ${route}`);
  };
  for (const [route, sample] of Object.entries(SAMPLES)) {
    const [kind] = sample.rule.split(' ');
    if (kind !== 'org' && kind !== 'project') continue;
    const params = await matrix.target(sample);
    await compare(route, 'rival', params, { ...params, org: NO_ORG });
    if (kind !== 'project') continue;
    for (const caller of ['outsider', 'elsewhere'] as const)
      await compare(route, caller, params, { ...params, project: NO_PROJECT });
  }
  t.ok(compared > 50, `${compared} pairs`);
}

async function foreignThings(t: Test, matrix: Matrix): Promise<void> {
  const places: Place[] = [
    { org: ORG, project: SIDE, by: 'owner' },
    { org: RIVAL_ORG, project: PROJECT, by: 'rival' },
  ];
  let compared = 0;
  for (const [route, sample] of Object.entries(SAMPLES)) {
    if (!sample.target || sample.tells !== undefined) continue;
    for (const place of places) {
      if (place.org === ORG && !sample.rule.startsWith('project')) continue;
      const { org: _org, project, ...made } = await matrix.target(sample, place);
      // A route whose thing is the project itself has no other name in its path.
      const things = route.endsWith('/:project') ? { project: project! } : made;
      const absent = Object.fromEntries(Object.entries(things).map(([name, value]) => [name, absentLike(value)]));
      const foreign = await matrix.ask(route, 'owner', { org: ORG, project: PROJECT, ...things });
      const nothing = await matrix.ask(route, 'owner', { org: ORG, project: PROJECT, ...absent });
      compared += 1;
      const where = `${route} of ${place.org}/${place.project}`;
      t.equal(plain(foreign, Object.values(things)), plain(nothing, Object.values(absent)), where);
      t.notMatch(foreign.text, CANARY, where);
    }
  }
  t.ok(compared > 25, `${compared} pairs`);
}

interface Entry {
  request_id: string;
  action: string;
  principal_name: string;
  ip: string;
}

/** Every success that the table says so left its entry, by the same transaction; nothing else left any. */
async function auditHolds(t: Test, server: MatrixServer, matrix: Matrix): Promise<void> {
  const rows = await server.use(Database).read<Entry>('SELECT * FROM audit_entries');
  const found = Map.groupBy(rows, ({ request_id }) => request_id);
  const names: Partial<Record<Caller, string>> = { owner: 'olga', capped: 'olga', elsewhere: 'olga', rival: 'rita' };
  const people = { outsider: 'otto', viewer: 'vera', member: 'max', admin: 'ada' };
  const users: typeof names = { ...names, ...people, agent: 'builder' };
  const seen = new Set<string>();
  for (const { route, caller, answer } of matrix.asked) {
    const { audits, unlocated } = SAMPLES[route]!;
    const entries = found.get(answer.request_id) ?? [];
    if (audits === undefined || answer.status >= 300) {
      if (entries.length > 0) t.fail(`${caller}: ${route} answered ${answer.status} and was audited`);
      continue;
    }
    seen.add(route);
    const right = entries.length > 0 && entries.every(({ action }) => action === audits);
    if (!right) t.fail(`${caller}: ${route} was audited as ${JSON.stringify(entries.map(({ action }) => action))}`);
    const ip = unlocated ? '' : '127.0.0.1';
    t.ok(entries.every((entry) => entry.principal_name === users[caller] && entry.ip === ip));
  }
  const changing = Object.entries(SAMPLES).filter(([, { audits }]) => audits !== undefined);
  t.same([...seen].toSorted(), changing.map(([route]) => route).toSorted(), 'each of them succeeded at least once');
  const silent = Object.keys(SAMPLES).filter((route) => !route.startsWith('GET ') && !SAMPLES[route]!.audits);
  // A delivery has no caller that the service knows; the event that it becomes is the record of it.
  const unaudited = [
    'POST /api/v1/orgs/:org/projects/:project/check',
    'POST /api/v1/orgs/:org/projects/:project/inputs',
    // Nothing of the matrix asks a person; the features of approvals read these entries.
    'POST /api/v1/orgs/:org/projects/:project/runs/:run/signals/:name/reject',
    'POST /api/v1/orgs/:org/projects/:project/runs/:run/signals/:name/links',
    'POST /answer/:link',
    'POST /api/v1/orgs/:org/projects/:project/handlers/:handler/test',
    // Of what is not there.
    'POST /api/v1/orgs/:org/projects/:project/events/:event/replay',
    'POST /api/v1/orgs/:org/projects/:project/dead-letters/:letter/redeliver',
    'DELETE /api/v1/orgs/:org/projects/:project/dead-letters/:letter',
    'POST /api/v1/orgs/:org/projects/:project/dead-letters/dismiss',
    'POST /api/v1/orgs/:org/projects/:project/event-hooks/:hook/deliveries/:delivery/redeliver',
    'POST /api/v1/hooks/:hook',
    'POST /api/v1/orgs/:org/projects/:project/webhooks/:webhook/deliveries/:delivery/redeliver',
    'POST /api/v1/forges/:webhook_id',
    'DELETE /api/v1/session',
    // No caller of the matrix has a session; the tests of sessions read its audit entry.
    'DELETE /api/v1/sessions/:session',
    // Nobody of the matrix has a link; what is begun by one is audited.
    'POST /api/v1/session/redeem',
    'POST /api/v1/orgs/:org/session/methods/check',
    // Nobody of the matrix is in a browser; what is connected there is audited.
    'POST /api/v1/orgs/:org/projects/:project/accounts/:account/connect',
    'POST /api/v1/orgs/:org/projects/:project/accounts/:account/connect-client',
    'POST /api/v1/orgs/:org/projects/:project/providers/check',
    'POST /api/v1/orgs/:org/projects/:project/expressions/evaluate',
    'POST /api/v1/orgs/:org/projects/:project/graph-requirements',
    'POST /api/v1/orgs/:org/projects/:project/connectors/:connector/actions/:action/render',
    // What an activity brings is its run's own work.
    'POST /api/v1/orgs/:org/projects/:project/files/missing',
    'PUT /api/v1/agents/activities/:activity/artifacts/:path',
    'POST /api/v1/agents/activities/:activity/cache',
    'PUT /api/v1/agents/activities/:activity/files/:digest',
    // What a worker serves, as the capabilities of an agent.
    'PUT /api/v1/agents/functions',
  ];
  t.same(silent, unaudited, 'all that change anything are audited');
  t.notMatch(JSON.stringify(rows), CANARY, 'no value is in it');
}
