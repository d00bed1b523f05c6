import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../features/support/process.ts';
import { type Console, PAGE_WAIT_MS } from './browser.ts';

const DEPLOY = `
svc step build -- sh -c 'echo "compiled 128 files"; printf "\\033[32m%s\\033[0m\\n" "all tests passed"; sleep 0.3'
svc step upload -- sh -c 'sleep 0.2; echo "sha256:4f1c…"'
echo '**Build 42 is ready.** Deploy it to production?' | svc annotate -
svc wait-signal approve
svc step release -- echo released
`;

const NIGHTLY = `
for table in users orders invoices; do svc step "back up $table" -- sh -c 'sleep 0.1; echo "12 MB"'; done
`;

const BROKEN = `
svc step fetch -- echo 200 rows
svc step import -- sh -c 'echo "row 17: no price" >&2; exit 3'
`;

const ON_DEPLOY = `
svc step tell -- echo told the team
`;

const ORDERS = {
  version: 'svc-graph/v1',
  title: 'Charge and pack an order',
  nodes: [
    { id: 'order', type: 'trigger.manual' },
    { id: 'large', type: 'condition', config: { if: 'input.total > 100' } },
    { id: 'approved', type: 'wait_signal', config: { name: 'approve' } },
    { id: 'pack', type: 'set', config: { values: { $expr: 'input.total' } } },
  ],
  edges: [
    { from: 'order', to: 'large' },
    { from: 'large', to: 'approved', when: true },
    { from: 'large', to: 'pack', when: false },
  ],
};

const CI = `name: ci
jobs:
  build:
    cache: { key: compiler-v1, paths: [.compiler/] }
    steps: [{ name: compile, run: "mkdir -p .compiler && head -c 40000 /dev/zero > .compiler/parsed && echo compiled 128 files" }]
  test:
    needs: build
    steps: [{ name: units, run: "echo all tests passed" }]
`;

const FLOWS = `import { step, waitSignal, workflow } from 'svc/sdk';
const input = {
  type: 'object',
  required: ['sku', 'price'],
  properties: {
    sku: { type: 'string', description: 'Number of the article' },
    price: { type: 'number', minimum: 0 },
    delivery: { enum: ['post', 'courier'], default: 'post' },
    gift: { type: 'boolean' },
    address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
  },
};
workflow('order', { input, timeout: '40d', concurrency: 20 }, async ({ sku }) => {
  await step('reserve', () => sku);
  await waitSignal('approved', { timeout: '30d' });
});
workflow('refund', { versions: 'pinned', version: process.env.VERSION ?? '2' }, async () => waitSignal('paid'));
`;

const FILES = {
  'flows.mjs': FLOWS,
  'ci.yaml': CI,
  'deploy.sh': DEPLOY,
  'nightly.sh': NIGHTLY,
  'import.sh': BROKEN,
  'tell.sh': ON_DEPLOY,
};

/** What pages of one thing show. */
export interface Sample {
  /** It waits. */
  run: string;
  event: string;
  pipeline_run: string;
  graph_run: string;
  /** Two runs that are over. */
  compared: readonly [string, string];
}

/** A project in which something ran, waits and failed, and with one of each thing that is kept. */
export async function fill(place: Console): Promise<Sample> {
  for (const [name, source] of Object.entries(FILES)) await writeFile(join(place.folder, name), source);
  const svc = async (args: readonly string[], stdin?: string) => {
    const { exit, stdout, stderr } = await place.svc(args, stdin);
    if (exit > 1) throw new Error(`svc ${args.join(' ')} ended with ${exit}: ${stderr}`);
    return stdout;
  };
  await svc(['secret', 'set', 'CHAT_TOKEN', '-'], 'a token of no use');
  await svc(['view', 'set', 'nightly', '--tag', 'nightly', '--since', '7d']);
  await svc(['view', 'set', 'my-failures', '--status', 'failed', '--private']);
  await svc(['var', 'set', 'REGISTRY', 'registry.example.com', '--org']);
  await svc(['var', 'set', 'REGION', 'eu-west-1']);
  await svc(['var', 'set', 'ALLOWED_HOSTS', 'shop.example.com, stage.shop.example.com, preview.shop.example.com']);
  await svc(['handler', 'set', 'tell', 'tell.sh', '--on', 'deploy.done']);
  for (let n = 0; n < 2; n++) await svc(['submit', 'nightly.sh', '--tag', 'nightly', '--follow']);
  const over = async (args: readonly string[]) => {
    const run_id = (await svc(['submit', ...args])).trim();
    await svc(['logs', run_id, '--follow']);
    return run_id;
  };
  const compared = [
    await over(['nightly.sh', '--tag', 'nightly']),
    await over(['import.sh', '--tag', 'data']),
  ] as const;
  const pipeline_run = (await svc(['submit', 'ci.yaml'])).trim();
  await svc(['credential', 'set', 'chat-bot', '--kind', 'bearer', '--token', '-'], 'a token of no use');
  const jira = ['--connector', 'issue_tracker', '--with', '{"site":"https://acme.example.net"}'];
  await svc(['credential', 'set', 'tracker', '--kind', 'basic', '--username', 'bot', '--password', '-'], 'of no use');
  await svc(['trigger', 'set', 'tickets', ...jira, '--credential', 'tracker', '--paused']);
  const vault = ['--kind', 'vault', '--url', 'https://vault.example.net', '--token', '-'];
  await svc(['secret-store', 'set', 'main', ...vault], 'token-of-no-use');
  await svc(['schedule', 'set', 'nightly', '30 2 * * *', 'nightly.sh']);
  await svc(['event-hook', 'set', 'deploys', '--event-type', 'deploy.asked']);
  await svc(['webhook', 'set', 'shop', '--forge', 'forge_a', '--repo', 'acme/shop']);
  const emitted = await svc(['emit', 'deploy.done', '--key', 'acme/web', '--payload', '{"version":"1.4.0"}']);
  const [event = ''] = /evt_\w+/.exec(emitted) ?? [];
  await svc(['graph', 'save', 'orders', '-'], JSON.stringify(ORDERS));
  const graph_run = (await svc(['submit', '--graph', 'orders', '--input', '{"total":12}'])).trim();
  const waiting = await svc(['submit', 'deploy.sh', '--tag', 'prod', '--subject', 'acme/web', '--json']);
  const { run_id } = JSON.parse(waiting) as { run_id: string };
  // It waits once it has done its first steps.
  await until('the run to wait', PAGE_WAIT_MS, async () =>
    (await svc(['status', run_id])).includes('waiting') ? true : undefined,
  );
  await serveFunctions(place, svc);
  return { run: run_id, event, pipeline_run, graph_run, compared };
}

/** A worker that stays, and a version that only a worker of earlier has served. */
async function serveFunctions(place: Console, svc: (args: readonly string[]) => Promise<string>): Promise<void> {
  const before = await place.serve('flows.mjs', { VERSION: '1' });
  await svc(['submit', '--function', 'refund']);
  await svc(['submit', '--function', 'order', '--input', '{"sku":"lamp","price":30}']);
  const { run_id } = JSON.parse(await svc(['submit', '--function', 'refund', '--json'])) as { run_id: string };
  await until('the refund to wait', PAGE_WAIT_MS, async () =>
    (await svc(['status', run_id])).includes('waiting') ? true : undefined,
  );
  await before.kill('SIGTERM');
  await svc(['signal', run_id, 'paid']);
  await place.serve('flows.mjs', {});
}
