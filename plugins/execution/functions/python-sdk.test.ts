import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { HttpAddress } from '../../../kernel/contracts/index.ts';
import { until } from '../../../test/kit/index.ts';
import { needs } from '../../../test/kit/needs.ts';
import { PROGRAMS, serving } from './testing/world.ts';

t.setTimeout(300_000);

const SDK = join(import.meta.dirname, '../scripts/sdk');
const run = promisify(execFile);

/** What a program prints as JSON. */
async function python(source: string, env: Record<string, string> = {}): Promise<unknown> {
  const path = { PATH: process.env.PATH ?? '', PYTHONPATH: `${SDK}:${PROGRAMS}`, PYTHONDONTWRITEBYTECODE: '1' };
  const { stdout } = await run('python3', ['-c', source], { env: { ...path, ...env }, timeout: 120_000 });
  return JSON.parse(stdout);
}

const HEAD = 'import json\nfrom kit import *\nfrom svc_sdk.testing import after, fail, replay_run, test_run\n';
const LAMP = '{"sku": "lamp", "price": 30}';

t.test('the test kit in Python', needs('python3'), async (t) => {
  await t.test('time skips, and the test gives signals and results', async (t) => {
    const found = await python(`${HEAD}
r = test_run(order, ${LAMP}, signals={"approved": after("3d", {"by": "ana"})})
late = test_run(order, ${LAMP})
busy = test_run("order", ${LAMP}, signals={"approved": {"by": "ana"}}, steps={"charge": lambda attempt: 30 if attempt == 5 else fail("busy"), "tell": "nobody"}, calls={"invoice": "none"})
declined = test_run(order, ${LAMP}, signals={"approved": [{"by": "ana"}]}, steps={"charge": fail("declined", non_retryable=True)})
open = test_run(naps, signals={"never": after("1h")})
lost = test_run(fails)
print(json.dumps([r.status, r.output, r.elapsed, late.error.args[0], late.elapsed, busy.output, busy.elapsed, str(declined.error), declined.elapsed, open.output, lost.status, lost.error.code, str(lost.error), r.passes]))`);
    t.same(found, [
      'succeeded',
      { number: 'lamp-1', by: 'ana', paid: 30, told: 'told', invoice: 'lamp: 30' },
      3 * 86_400,
      'the wait for the signal "approved" did not end within 30d',
      30 * 86_400,
      { number: 'lamp-1', by: 'ana', paid: 30, told: 'nobody', invoice: 'none' },
      40,
      'step "charge" failed: declined',
      0,
      { first: 1, error: 'the wait for the signal "never" did not end within 20ms' },
      'failed',
      'function_failed',
      'no luck',
      6,
    ]);
  });
  await t.test('entities begin with the cells that the test gives, and called runs share them', async (t) => {
    const source = `${HEAD}
from svc_sdk import call, state
@workflow
def sell(seat):
    if state.get("status", entity=seat) != "free":
        return False
    state.set("status", "sold", entity=seat)
    return True
@workflow
def sell_twice(seat):
    return [call(sell, seat), call(sell, seat), state.get("status", entity=seat), state.get("status")]
print(json.dumps(test_run(sell_twice, "A1", entities={"A1": {"status": "free"}}).output))`;
    t.same(await python(source), [true, false, 'sold', null]);
  });
  await t.test('a test asks a run, and gets its answers', async (t) => {
    const code = `${HEAD}from svc_sdk import answer, wait_any, wait_ask, workflow
@workflow
def shop():
    first = wait_ask("price", timeout="1d")
    states = [answer(first, {"price": len(first["payload"]["sku"])})]
    following = wait_any(asks="price", timeout="2d")
    if following["first"] == "ask":
        states.append(answer(following["id"], None))
    return states
r = test_run(shop, asks={"price": [{"sku": "lamp"}, after("30h", 2)]})
print(json.dumps([r.output, r.answers, r.elapsed]))`;
    t.same(await python(code), [
      ['answered', 'answered'],
      [
        { name: 'price', payload: { sku: 'lamp' }, answer: { price: 4 } },
        { name: 'price', payload: 2, answer: null },
      ],
      30 * 3600,
    ]);
  });

  await t.test('an input becomes an instance of a class', async (t) => {
    const code = `${HEAD}from dataclasses import dataclass
from svc_sdk import data, workflow
@dataclass
class Order:
    sku: str
    count: int = 1
@workflow
def ship(order):
    given = data(into=Order)
    return [given.sku, given.count, data("sku", into=Order), data("none", 5, into=Order)]
print(json.dumps(test_run(ship, {"sku": "lamp"}).output))`;
    t.same(await python(code), ['lamp', 1, 'lamp', 5]);
  });

  await t.test('a retry of too many attempts is refused in the words of the SDK', async (t) => {
    const source = `${HEAD}
from svc_sdk import step
@workflow
def eager():
    step("call", lambda: 1, retry=500)
print(json.dumps(str(test_run(eager).error)))`;
    t.match(await python(source), /^retry needs a number of attempts from 1 to 100, including the first, not 500/);
  });
  await t.test('a workflow that varies fails its test', async (t) => {
    const source = `${HEAD}
try:
    test_run(varies)
except Exception as error:
    print(json.dumps([error.code, str(error)]))`;
    t.match(await python(source), ['determinism_violation', /present: {2}step draw 0\.\d+#0/]);
  });
  await t.test('a test gives the variables of the project and its org', async (t) => {
    const source = `${HEAD}
import svc_sdk
from svc_sdk import aio, secret, vars
@workflow
def tells():
    return vars().get("REGION", "none")
@workflow
async def looks():
    in_step = await aio.step("look", lambda: vars()["REGION"])
    own = [secret("REGION"), secret("TIER")]
    return {"in_step": in_step, "own": own, "called": await aio.call("tells"), "all": aio.vars()}
@workflow
def writes():
    vars()["REGION"] = "us"
given = {"vars": {"REGION": "eu", "TIER": "gold"}, "env": {"TIER": "of-env"}}
r = test_run(looks, **given)
found = [r.output, test_run(tells).output, str(test_run(writes, **given).error), given["vars"]["REGION"]]
found += [replay_run(r.journal, looks, **given).outcome, replay_run(r.journal, looks).outcome]
for wrong in (lambda: test_run(tells, vars={"N": 5}), vars):
    try:
        wrong()
    except svc_sdk.SvcError as error:
        found += [error.code, str(error)]
print(json.dumps(found))`;
    t.match(await python(source), [
      { in_step: 'eu', own: ['eu', 'of-env'], called: 'eu', all: { REGION: 'eu', TIER: 'gold' } },
      'none',
      /the variables of a run are read-only/,
      'eu',
      'same',
      'ended',
      'usage',
      /the variable N of a test must be a str, not a int/,
      'not_in_a_script_run',
      /SVC_INPUT_FILE/,
    ]);
  });
  await t.test('what a test does not give', async (t) => {
    const source = `${HEAD}
from svc_sdk import activity
@workflow
def asks():
    activity("build", ["make"])
@workflow
def waits():
    wait_signal("go")
try:
    test_run(asks)
except Exception as error:
    print(json.dumps([error.code, error.next, test_run(waits).waits_for, test_run(asks, activities={"build": "built"}).status]))`;
    t.match(await python(source), [
      'test_result_missing',
      'Provide one: activities={"build": …}.',
      { kind: 'wait-signal', site: 'go#0' },
      'succeeded',
    ]);
  });
});

t.test('the server and the test kit write the same journal, and Python submits', needs('python3'), async (t) => {
  const world = await serving(t, join(PROGRAMS, 'kit.py'));
  await until(async () => (await world.submit('fails')).status < 300, { what: 'the worker' });
  const { json } = await world.server.call('member', `GET ${world.server.scoped}/functions`);
  t.ok((json as { functions: unknown[] }).functions.length >= 5);
  const address = world.server.use(HttpAddress).base_url();
  const [, org = '', project = ''] = /orgs\/([^/]+)\/projects\/([^/]+)/.exec(world.server.scoped) ?? [];
  const env = { SVC_URL: address, SVC_TOKEN: 'member', SVC_ORG: org, SVC_PROJECT: project };
  const found = (await python(
    `${HEAD}
import asyncio
from svc_sdk import SvcError, WaitTimeoutError, aio, run_handle, submit
first = submit(order, ${LAMP}, idempotency_key="cart-7", tags=["web"])
again = submit("order", ${LAMP}, idempotency_key="cart-7")
run_handle(first.run_id).signal("approved", {"by": "ana"})
output = first.result(timeout="1m")

async def others():
    run = await aio.submit(fails)
    try:
        await run.result()
    except SvcError as error:
        return [error.code, await run.status()]

lost = asyncio.run(others())
waits = submit(order, ${LAMP})
try:
    waits.result(timeout=0.2)
except WaitTimeoutError as error:
    late = str(error)
waits.cancel("no more")
try:
    waits.result()
except SvcError as error:
    gone = error.code
try:
    submit("nobody")
except SvcError as error:
    unknown = error.code
print(json.dumps([first.run_id, first.run_id == again.run_id, again.duplicate, output, lost, late, gone, unknown]))`,
    env,
  )) as unknown[];
  const [run_id, ...rest] = found;
  t.match(rest, [
    true,
    true,
    { number: 'lamp-1', by: 'ana', paid: 30, told: 'told', invoice: 'lamp: 30' },
    ['function_failed', 'failed'],
    /did not end within 200ms/,
    'run_cancelled',
    'function_unknown',
  ]);
  const history = (
    await world.server.call('member', `GET ${world.server.scoped}/runs/${String(run_id)}/steps?limit=200`)
  ).text;
  const file = join(world.folder, 'history.json');
  writeFileSync(file, history);
  const source = `${HEAD}
history = open(${JSON.stringify(file)}).read()
shown = lambda steps: [[one["kind"], one["name"], one["ordinal"], one["exit_code"], one["stdout"]] for one in steps]
same = replay_run(history, order, input=${LAMP})
other = replay_run(history, invoice, input=${LAMP})
begun = replay_run(json.loads(history)["steps"][:2], order, input=${LAMP})
memory = test_run(order, ${LAMP}, signals={"approved": {"by": "ana"}})
print(json.dumps([same.ok, same.outcome, same.read, other.ok, other.outcome, other.note, begun.outcome, begun.next["site"], shown(memory.journal) == shown(json.loads(history)["steps"])]))`;
  t.match(await python(source), [
    true,
    'same',
    5,
    false,
    'differs',
    /recorded: step reserve#0\n {2}present: {2}step print#0/,
    'anew',
    'charge#0',
    true,
  ]);
});

t.test('where Python finds its server', needs('python3'), async (t) => {
  const refused = async (env: Record<string, string>) =>
    await python(
      'import json\nfrom svc_sdk import SvcError, submit\ntry:\n    submit("order")\nexcept SvcError as error:\n    print(json.dumps([error.code, str(error)]))',
      { HOME: '/nonexistent', ...env },
    );
  t.match(await refused({}), ['not_authenticated', /no server is configured/]);
  t.match(await refused({ SVC_TOKEN: 'a' }), ['not_authenticated', /SVC_TOKEN is set, but SVC_URL is not/]);
  t.match(await refused({ SVC_URL: 'http://127.0.0.1:1' }), [
    'not_authenticated',
    /SVC_URL is set, but SVC_TOKEN is not/,
  ]);
  const whole = { SVC_TOKEN: 'secret-token', SVC_ORG: 'a', SVC_PROJECT: 'b' };
  t.match(await refused({ ...whole, SVC_URL: 'http://127.0.0.1:1' }), [
    'unreachable',
    /no server is listening at this address/,
  ]);
  t.match(await refused({ ...whole, SVC_URL: 'http://u:p@host' }), ['usage', /the server's address is not valid/]);
  t.match(await refused({ ...whole, SVC_URL: 'http://x', SVC_TOKEN: 'a b' }), [
    'not_authenticated',
    /contains invalid characters/,
  ]);
  t.match(await refused({ SVC_IDEMPOTENCY_KEY: 'x' }), ['not_authenticated', /a job cannot use a profile/]);
});
