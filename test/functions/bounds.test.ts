import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Database } from '../../kernel/contracts/index.ts';
import { DocumentWorkers } from '../../plugins/platform/expressions/contract.ts';
import { boot, cpuOf, longestHold, maxHoldMs, until } from '../kit/index.ts';
import { FunctionDirectory } from '../../plugins/execution/functions/service/directory.ts';
import { findSchemaError, inTime } from '../../plugins/platform/schema/contract.ts';
import { acceptInput, type Json, type SubmitRun } from '../../plugins/engine/runs/contract.ts';
import { RunInputs } from '../../plugins/engine/runs/service/inputs.ts';
import { SchemaChecks } from '../../plugins/execution/functions/service/schema-checks.ts';
import { PROGRAMS, serving } from '../../plugins/execution/functions/testing/world.ts';

t.setTimeout(600_000);

async function workersOf(t: Test): Promise<() => DocumentWorkers> {
  const kernel = await boot({ plugins: ['expressions'], quiet: true });
  t.teardown(() => kernel.close());
  return () => kernel.use(DocumentWorkers);
}

/** What is wrong with an input. */
function findInputErrors(schema: string, input: unknown): { pointer: string; message: string }[] {
  try {
    acceptInput(schema, input as Json);
    return [];
  } catch (error) {
    const { errors } = (error as { extras: { errors?: { pointer: string; message: string }[] } }).extras;
    if (errors === undefined) throw error;
    return errors;
  }
}

t.test('a schema cannot end or hold the server', async (t) => {
  t.match(findSchemaError(JSON.stringify({ $async: true, type: 'object' })), /\$async/);
  const slow = JSON.stringify({ type: 'string', pattern: '^(a+)+$' });
  t.same(findInputErrors(slow, 'aaa'), []);
  t.match(findInputErrors(slow, 'b'), [{ pointer: '/input' }]);
  t.throws(() => findInputErrors(slow, `${'a'.repeat(60)}!`), { code: 'input_invalid', message: /takes longer than/ });
  const circle = JSON.stringify({ $ref: '#' });
  t.throws(() => findInputErrors(circle, 1), { code: 'input_invalid', message: /in a circle/ });
});

t.test('a schema is compiled once, however often it refers to itself', async (t) => {
  const properties = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`p${n}`, { type: 'string' }]));
  const refers = (times: number) => ({
    $defs: { one: { properties } },
    allOf: Array.from({ length: times }, () => ({ $ref: '#/$defs/one' })),
  });
  const { heapTotal: before } = process.memoryUsage();
  t.equal(findSchemaError(JSON.stringify(refers(200))), undefined);
  t.ok(process.memoryUsage().heapTotal - before < 64 * 1024 * 1024, 'it takes no memory for each reference');
  t.match(findInputErrors(JSON.stringify(refers(200)), { p7: 7 })[0], { pointer: '/input/p7' });
});

t.test('a large registration is checked in turns', async (t) => {
  const deps = { table: { register: async () => undefined }, checks: new SchemaChecks(await workersOf(t)) };
  const directory = new FunctionDirectory(deps as never);
  const large = (name: string) => {
    const properties = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`${name}-${n}`, { type: 'string' }]));
    return { name, version: '1', versions: 'replay' as const, input: { properties } };
  };
  const functions = Array.from({ length: 30 }, (_, n) => large(`f${n}`));
  const { ms } = await longestHold(() => directory.register({ org_id: '', project_id: '' }, functions));
  t.ok(ms < maxHoldMs(), `the event loop is held for ${ms} ms`);
});

t.test('a large schema is compiled in a thread, for its registration and for each input', async (t) => {
  const workers = await workersOf(t);
  const checks = new SchemaChecks(workers);
  const inputs = new RunInputs({ workers, envelope_sources: () => [] });
  const accept = (schema_text: string, input: Json) =>
    inputs.accept({ transaction: undefined } as never, { ...scope, input, trigger: { type: 'manual' } } as SubmitRun, {
      schema: schema_text,
      event_payload: undefined,
    });
  const scope = { org_id: 'org_1', project_id: 'prj_1' };
  const anyOf = Array.from({ length: 2400 }, (_, n) => ({ const: n }));
  // Few enough that a slow machine checks an input in time.
  const schema = { anyOf: anyOf.slice(0, 800), title: 'many' };
  const costly = { oneOf: anyOf.map((_, n) => ({ required: [`m${n}`] })) };
  const { ms } = await longestHold(async () => {
    // A fast machine accepts it.
    await checks.assertSchema(scope, 'order', costly).catch(({ code }) => t.equal(code, 'functions_invalid'));
    await checks.assertSchema(scope, 'order', schema);
    t.match(await accept(JSON.stringify(schema), 799), { input: 799 });
    await t.rejects(accept(JSON.stringify(schema), 800), {
      code: 'input_invalid',
      extras: { errors: { length: 10 } },
    });
  });
  const here_ms = cpuOf(() => findSchemaError(JSON.stringify(costly)));
  t.ok(ms < here_ms / 2, `the event loop is held for ${ms} ms; compiling it here takes ${here_ms} ms`);
  await t.rejects(checks.assertSchema(scope, 'order', { anyOf: anyOf.map(() => ({ type: 'nothing' })) }), {
    code: 'functions_invalid',
    message: /the input schema of order is not accepted/,
  });
  const slow = JSON.stringify({ pattern: '^(a+)+$', description: 'x'.repeat(9000) });
  await t.rejects(accept(slow, `${'a'.repeat(60)}!`), {
    code: 'input_invalid',
    message: /takes longer than/,
  });
});

t.test('a list of functions reads each capability of the agents once', async (t) => {
  const agents = Array.from({ length: 200 }, (_, agent) => ({
    name: `agent-${agent}`,
    capabilities: Array.from({ length: 256 }, (_, n) => `function:order-${n}:${agent}`),
  }));
  const list = async (count: number) => {
    const options = { timeout: null, concurrency: null, flow: null };
    const rows = Array.from({ length: count }, (_, n) => ({
      ...options,
      name: `order-${n}`,
      version: '7',
      registered_at: 0,
    }));
    const deps = {
      table: { list: async () => rows },
      agents: { readConnected: async () => agents },
      runs: { queued: async () => [] },
    };
    const directory = new FunctionDirectory(deps as never);
    const before = process.threadCpuUsage();
    const views = await directory.list({} as never, undefined, count);
    const { user, system } = process.threadCpuUsage(before);
    t.same([views.length, views[0]!.workers], [count, ['agent-7']]);
    return user + system;
  };
  await list(20);
  const [few, many] = [await list(20), await list(2000)];
  t.ok(many < 20 * few, `100 times as many functions take ${many / few} times as long`);
});

t.test('faults quote a part of long names', async (t) => {
  const schema = JSON.stringify({ additionalProperties: { type: 'string', not: {}, enum: [1], pattern: 'z' } });
  const faults = findInputErrors(schema, { ['k'.repeat(1_000_000)]: 'a' });
  t.equal(faults.length, 3);
  t.ok(JSON.stringify(faults).length < 2000);
  const closed = JSON.stringify({ additionalProperties: false });
  t.ok(findInputErrors(closed, { ['k'.repeat(1_000_000)]: 1 })[0]!.message.length < 1000);
});

t.test('only the time that this thread works is counted', async (t) => {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const exceeded = () => new Error('exceeded');
  const sleep = () => Atomics.wait(cell, 0, 0, 300);
  t.equal(inTime(sleep, { max_ms: 50, exceeded }), 'timed-out', 'a thread that waits for the processor');
  const work = () => {
    for (;;);
  };
  t.throws(() => inTime(work, { max_ms: 50, exceeded }), { message: 'exceeded' });
});

t.test('a run that is cancelled while it waits for its concurrency keeps no place', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'hold-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const gate = join(folder, 'gate');
  const world = await serving(t, join(PROGRAMS, 'orders.ts'), { env: { HOLD: gate } });
  const { run_id: first } = await world.submit('held-alone', { name: 'a' });
  await until(() => world.ledger().some((line) => line.startsWith('gate a ')), { what: 'the first run at the gate' });
  const { run_id: second } = await world.submit('held-alone', { name: 'b' });
  await world.reaches(second, 'running');
  await world.server.call('member', `POST ${world.server.scoped}/runs/${second}/cancel`);
  await world.reaches(second, 'cancelled');
  writeFileSync(gate, 'open');
  await world.reaches(first, 'succeeded');
  const { run_id: third } = await world.submit('held-alone', { name: 'c' });
  await world.reaches(third, 'succeeded');
  t.notOk(world.ledger().includes('before b'), 'the cancelled run has not begun');
});

t.test('a run that ends the program fails alone: those beside it are not counted', async (t) => {
  const world = await serving(t, join(PROGRAMS, 'orders.ts'));
  const [slow, poison] = [await world.submit('slow', 1500), await world.submit('exits')];
  const ended = await world.ended(slow.run_id);
  t.match(ended, { status: 'succeeded', output: 'done' }, 'the innocent run ends well');
  t.equal((await world.read(poison.run_id)).status, 'running', 'the other one is still tried');
});

t.test('the young garbage of a program is limited, as many short passes leave much of it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'young-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'young.mjs');
  writeFileSync(
    file,
    `import { getHeapSpaceStatistics } from 'node:v8';
import { workflow } from 'svc/sdk';
workflow('young', async () => {
  for (let made = 0; made < 200; made += 1) globalThis.kept = Array.from({ length: 20_000 }, (_, n) => ({ n }));
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size;
});
`,
  );
  const world = await serving(t, file);
  const { output } = await world.ended((await world.submit('young')).run_id);
  t.ok((output as number) > 0 && (output as number) <= 8 * 1024 * 1024, `${String(output)} bytes in two halves`);
});

t.test('a submit reads the registration of its workflow once', async (t) => {
  const world = await serving(t, join(PROGRAMS, 'orders.ts'));
  const database = world.server.use(Database);
  const read = database.read.bind(database);
  const statements: string[] = [];
  Object.assign(database, {
    read: (statement: string, params?: Parameters<Database['read']>[1]) => {
      if (statement.includes('functions_functions')) statements.push(statement);
      return read(statement, params);
    },
  });
  const { run_id } = await world.submit('order', { sku: 'a1' });
  t.equal(statements.length, 1, 'for the version, the schema of the input and the timeout');
  t.match(await world.submit('order', { sku: 7 }), { status: 422, json: { code: 'input_invalid' } });
  await world.server.call('member', `POST ${world.server.scoped}/runs/${run_id}/cancel`);
});

t.test('the payload of an event is checked as an input is', async (t) => {
  const world = await serving(t, join(PROGRAMS, 'orders.ts'));
  const { server } = world;
  const handler = { function: 'order', on: ['order.placed'] };
  t.match(await server.call('admin', `PUT ${server.scoped}/handlers/places`, handler), { status: 201 });
  const { json } = await server.call('member', `POST ${server.scoped}/events`, {
    type: 'order.placed',
    payload: { sku: 7 },
  });
  const { event: id } = json as { event: string };
  const delivery = await until(async () => {
    const read = await server.call('member', `GET ${server.scoped}/events/${id}`);
    return (read.json as { deliveries?: { state: string }[] }).deliveries?.find(({ state }) => state === 'refused');
  });
  t.match(delivery, { state: 'refused', reason: /input_invalid: \/input\/sku/ });
});

t.test('a document pins a version, and nothing longer', async (t) => {
  const world = await serving(t, join(PROGRAMS, 'orders.ts'));
  const { server } = world;
  const submit = (pinned: string) => {
    const source = JSON.stringify({ version: 'svc-function/v1', name: 'double', pinned });
    return server.call('member', `POST ${server.scoped}/runs`, { source, input: 1 });
  };
  t.match(await submit('a'.repeat(40)), { status: 201 });
  for (const pinned of ['a'.repeat(41), 'x'.repeat(900_000), 'a b', ''])
    t.match(await submit(pinned), { status: 422, json: { errors: [{ pointer: '/source' }] } }, pinned.slice(0, 50));
});
