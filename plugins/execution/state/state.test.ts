import t from 'tap';
import { Database, Sealer } from '../../../kernel/contracts/index.ts';
import { Audit, OPERATOR } from '../../platform/audit/contract.ts';
import { type Claimed, type Json, RunEngine, RunStore } from '../../engine/runs/contract.ts';
import { MAX_VALUE_BYTES } from './domain/entry-rules.ts';
import { ProjectState } from './service/project-state.ts';
import { type EngineServer, OTHER, SCOPE, STORES, withEngine } from '../../../test/kit/index.ts';

const stateOf = ({ use }: EngineServer) => new ProjectState(use(Database), use(Sealer), use(Audit));

/** Calls of one pass, each at the next position. */
function caller(world: EngineServer, claim: Claimed) {
  let position = 0;
  return async (args: Json) => {
    const call = { position, kind: 'state', name: '', ordinal: position, digest: '', args, started_at: 0 };
    const record = await world.use(RunStore).perform(claim, call);
    position += 1;
    return { exit: record.exit_code, out: Buffer.from(record.output, 'base64').toString(), message: record.message };
  };
}

async function run(world: EngineServer, more: Parameters<EngineServer['submit']>[0] = {}) {
  await world.use(RunEngine).submit(world.submit(more));
  return caller(world, await world.claim());
}

// @store: entities are locked by rows.
for (const store of STORES) {
  t.test(`${store}: a run keeps cells of its own`, (t) =>
    withEngine({ store }, async (world) => {
      const state = await run(world);
      t.match(await state({ op: 'get', key: 'a' }), { exit: 1, out: '', message: /no state a/ });
      t.match(await state({ op: 'set', key: 'b', value: '{"x": 1.0}' }), { exit: 0, out: '' });
      t.match(await state({ op: 'set', key: 'a', value: '' }), { exit: 0 });
      t.match(await state({ op: 'set', key: 'B', value: 'upper' }), { exit: 0 });
      t.match(await state({ op: 'get', key: 'b' }), { exit: 0, out: '{"x": 1.0}\n' }, 'JSON is kept as it was given');
      t.match(await state({ op: 'get', key: 'a' }), { exit: 0, out: '\n' });
      t.match(await state({ op: 'list' }), { exit: 0, out: 'B\na\nb\n' });
      t.match(await state({ op: 'set', key: 'b', value: 'new' }), { exit: 0 });
      t.match(await state({ op: 'get', key: 'b' }), { out: 'new\n' });
      t.match(await state({ op: 'delete', key: 'b' }), { exit: 0 });
      t.match(await state({ op: 'delete', key: 'b' }), { exit: 0 }, 'what is gone is gone');
      t.match(await state({ op: 'list' }), { out: 'B\na\n' });
      const other = await run(world);
      t.match(await other({ op: 'list' }), { out: '' }, 'another run has none of them');
    }),
  );

  t.test(`${store}: an entity is shared by the runs of the project, and by people`, (t) =>
    withEngine({ store }, async (world) => {
      const people = stateOf(world);
      const first = await run(world);
      const key = 'last sha/ü ';
      await first({ op: 'set', entity: 'repo:acme/app', key, value: 'abc' });
      const second = await run(world);
      t.match(await second({ op: 'get', entity: 'repo:acme/app', key }), { exit: 0, out: 'abc\n' });
      t.match(await second({ op: 'get', entity: 'repo:acme/app', key: key.trim() }), { exit: 1 }, 'bytes count');
      t.match(await people.read(SCOPE, 'repo:acme/app', key), { value: 'abc', updated_at: Number });
      await t.rejects(people.read(OTHER, 'repo:acme/app', key), { code: 'not_found' });
      t.equal(await people.write(SCOPE, 'repo:acme/app', key, 'def', OPERATOR), false);
      t.equal(await people.write(SCOPE, 'repo:acme/app', 'new', 'x', OPERATOR), true);
      t.match(await second({ op: 'get', entity: 'repo:acme/app', key }), { out: 'def\n' });
      t.match(await second({ op: 'list' }), { out: '' }, 'the run has none of its own');
      const listed = await people.list(SCOPE, 'repo:acme/app', { limit: 1, cursor: undefined });
      const rest = await people.list(SCOPE, 'repo:acme/app', { limit: 1, cursor: listed.next_cursor });
      t.same(
        [...listed.entries, ...rest.entries].map(({ key: name }) => name),
        [key, 'new'],
      );
      t.equal(rest.next_cursor, undefined);
      await people.remove(SCOPE, 'repo:acme/app', 'new', OPERATOR);
      await t.rejects(people.remove(SCOPE, 'repo:acme/app', 'new', OPERATOR), { code: 'not_found' });
    }),
  );

  t.test(`${store}: an untrusted run reads the project, writes only its own, and a refusal leaves no record`, (t) =>
    withEngine({ store }, async (world) => {
      await stateOf(world).write(SCOPE, 'e', 'k', 'v', OPERATOR);
      const state = await run(world, { trusted: false });
      for (const op of ['set', 'delete'])
        await t.rejects(state({ op, entity: 'e', key: 'k', value: 'x' }), {
          code: 'untrusted_run_may_not_write_state',
          status: 403,
        });
      t.match(await state({ op: 'get', entity: 'e', key: 'k' }), { exit: 0, out: 'v\n' }, 'the position is still free');
      t.match(await state({ op: 'set', key: 'k', value: 'own' }), { exit: 0 });
    }),
  );

  t.test(`${store}: bad arguments are refused with their code and leave no record`, (t) =>
    withEngine({ store }, async (world) => {
      const state = await run(world);
      const bad: [Json, string][] = [
        [null, 'invalid_request'],
        [{ op: 'drop', key: 'a' }, 'invalid_request'],
        [{ op: 'get' }, 'invalid_request'],
        [{ op: 'get', key: '' }, 'invalid_request'],
        [{ op: 'get', key: 'a\nb' }, 'invalid_request'],
        [{ op: 'get', key: 'x'.repeat(256) }, 'invalid_request'],
        [{ op: 'set', key: 'a' }, 'invalid_request'],
        [{ op: 'set', key: 'a', value: 1 }, 'invalid_request'],
        [{ op: 'set', key: 'a', value: 'x', entity: '' }, 'invalid_request'],
        [{ op: 'set', key: 'a', value: 'x'.repeat(MAX_VALUE_BYTES + 1) }, 'payload_too_large'],
      ];
      for (const [args, code] of bad) await t.rejects(state(args), { code }, JSON.stringify(args).slice(0, 60));
      t.match(await state({ op: 'set', key: 'x'.repeat(255), value: 'x'.repeat(MAX_VALUE_BYTES) }), { exit: 0 });
      t.match(await state({ op: 'get', key: '__proto__' }), { exit: 1 });
    }),
  );

  t.test(`${store}: a call that is sent again finds its record and does nothing again`, (t) =>
    withEngine({ store }, async (world) => {
      await world.use(RunEngine).submit(world.submit());
      const claim = await world.claim();
      const store = world.use(RunStore);
      const at = (position: number, args: Json) => ({
        position,
        kind: 'state',
        name: '',
        ordinal: position,
        digest: '',
        args,
        started_at: 0,
      });
      const set = at(0, { op: 'set', entity: 'e', key: 'k', value: 'first' });
      const record = await store.perform(claim, set);
      await stateOf(world).write(SCOPE, 'e', 'k', 'later', OPERATOR);
      t.same(await store.perform(claim, set), record);
      t.match(await stateOf(world).read(SCOPE, 'e', 'k'), { value: 'later' });
    }),
  );
}
