import t from 'tap';
import { type ExtensionPoint, HttpRoutes, HttpUpgrades, type Transaction } from '../../kernel/contracts/index.ts';
import { Registry } from '../../kernel/registry/registry.ts';
import { EventKeepers, EventReactions } from '../../plugins/events/bus/contract.ts';
import {
  ClaimPreparations,
  checksCredentials,
  CredentialChecks,
  FileKeepers,
  JobEnvironment,
  retainsFiles,
  RunLeftovers,
  SharedContents,
} from '../../plugins/engine/runs/contract.ts';
import { ActivityTransfers, ContentCarriers, FileSenders } from '../../plugins/execution/agents/contract.ts';

/** What a point has after a plugin has contributed this under a former name of it. */
function moved<Old, New>(former: ExtensionPoint<Old>, to: ExtensionPoint<New>, contribution: Old): New {
  const registry = new Registry();
  registry.contribute('old', former, () => contribution);
  t.match(registry.moved, [{ plugin: 'old', from: former.name, to: to.name }]);
  return registry.use.all(to)[0]!;
}

const SCOPE = { org_id: 'org_a', project_id: 'prj_a' };

t.test('a check of credentials is asked, and adds no variable', async (t) => {
  const seen: unknown[] = [];
  const check = { name: 'mine', check: async (_scope: unknown, given: unknown) => void seen.push(given) };
  const source = moved(CredentialChecks, JobEnvironment, check);
  if (!checksCredentials(source)) throw new Error('it checks nothing');
  await source.checkCredentials(SCOPE, { TOKEN: 'bot' });
  t.same(seen, [{ TOKEN: 'bot' }]);
  t.same(await source.provide({} as never), []);
});

t.test('what prepares claims, sends files and removes leftovers is taken as it is', async (t) => {
  const preparation = { executor: 'mine', prepare: async () => ({ given: 1, masks: [] }) };
  t.equal(moved(ClaimPreparations, JobEnvironment, preparation), preparation);
  const files = { files: () => ({}) as never };
  t.equal(moved(FileSenders, ActivityTransfers, files), files);
  const contents = { contents: () => ({}) as never };
  t.equal(moved(ContentCarriers, ActivityTransfers, contents), contents);
  const leftover = { name: 'mine', async *remove() {} };
  t.equal(moved(RunLeftovers, SharedContents, leftover), leftover);
});

t.test('a keeper of files keeps them, and removes nothing', async (t) => {
  const kept: unknown[] = [];
  const keeper = { name: 'mine', keep: async (_scope: unknown, files: unknown) => void kept.push(files) };
  const content = moved(FileKeepers, SharedContents, keeper);
  if (!retainsFiles(content)) throw new Error('it keeps no files');
  await content.retainFiles(SCOPE, [], undefined);
  t.same(kept, [[]]);
  for await (const removed of content.remove(0, 1)) t.equal(removed, 0);
});

t.test('a keeper of events protects them, and starts nothing', async (t) => {
  const reaction = moved(EventKeepers, EventReactions, { name: 'mine', findProtected: async (_scope, ids) => ids });
  t.same(await reaction.findProtected!(SCOPE as never, ['evt_1']), ['evt_1']);
  const tx = {} as Transaction;
  t.same(await reaction.decide(tx, SCOPE as never, [{}, {}] as never, {} as never), [
    { plan: undefined },
    { plan: undefined },
  ]);
});

t.test('a WebSocket endpoint is a route', async (t) => {
  const upgrade = { path: '/api/v1/mine', access: { kind: 'public' as const }, accept: () => undefined };
  const route = moved(HttpUpgrades, HttpRoutes, upgrade);
  t.match(route, { method: 'GET', path: '/api/v1/mine', operation: 'upgradeMine', upgrade });
  await t.rejects(route.handle({} as never), { code: 'upgrade_required' });
});
