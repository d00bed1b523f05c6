import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Database } from '../../kernel/contracts/index.ts';
import { type Address, deliver } from '../../features/support/forge-delivery.ts';
import { boot, type TestServer } from '../kit/index.ts';
import { SENT, type Sent } from './examples.ts';

/**
 * Every payload that the documentation of forge_a and of five versions of its own-host edition shows, each once, and real-shaped ones of forge_b, delivered as the forge does. What
 * each comes to is kept in examples.txt, so that a change of the rules is seen; SVC_WRITE_FORGES=1 writes it anew.
 */
const SNAPSHOT = join(import.meta.dirname, 'examples.txt');

const server = await boot({ access: 'project' });
t.teardown(async () => {
  await server.close();
});

/** The webhook of a repository, made when it is first delivered for. */
async function webhookOf(server: TestServer, known: Map<string, Address>, { forge, payload }: Sent): Promise<Address> {
  const repo = payload.repository?.full_name ?? 'acme/site';
  const key = `${forge} ${repo}`;
  const found = known.get(key);
  if (found) return found;
  const { status, json, text } = await server.call('admin', `PUT ${server.scoped}/webhooks/w${known.size}`, {
    forge,
    repo,
  });
  if (status !== 201) throw new Error(text);
  known.set(key, json);
  return json;
}

interface Row {
  event_id: string;
  type: string;
  trusted: number;
}

t.test('every example is taken, recorded and classified', async (t: Test) => {
  const webhooks = new Map<string, Address>();
  const lines = new Map<string, Set<string>>();
  for (const [nth, sent] of SENT.entries()) {
    const address = await webhookOf(server, webhooks, sent);
    const { status, json, text } = await deliver(sent.forge, address, sent.event, sent.payload, {
      id: `example-${nth}`,
    });
    if (status !== 202) t.fail(`${sent.forge} ${sent.event} ${nth}: ${status} ${text}`);
    const [row] = await server
      .use(Database)
      .read<Row>('SELECT event_id, type, trusted FROM bus_events WHERE event_id = ?', [json.event_id]);
    const { payload, key } = (await server.call('member', `GET ${server.scoped}/events/${json.event_id}`)).json;
    const kept = row!.type === 'push' ? payload.body : payload;
    if (JSON.stringify(kept) !== JSON.stringify(sent.payload)) t.fail(`${sent.event} ${nth} is not what was sent`);
    if (key !== (sent.payload.repository?.full_name ?? 'acme/site')) t.fail(`${sent.event} ${nth} has the key ${key}`);
    const line = `${sent.forge} ${sent.event}.${sent.payload.action ?? '-'}`;
    const outcome = `${row!.type} ${row!.trusted === 1 ? 'trusted' : 'untrusted'}`;
    lines.set(line, (lines.get(line) ?? new Set()).add(outcome));
  }
  const table = [...lines].map(([line, outcomes]) => `${line}: ${[...outcomes].sort().join(', ')}`).join('\n');
  t.comment(`${SENT.length} deliveries\n${table}`);
  if (process.env.SVC_WRITE_FORGES) writeFileSync(SNAPSHOT, `${table}\n`);
  t.equal(`${table}\n`, readFileSync(SNAPSHOT, 'utf8'), 'as in examples.txt; SVC_WRITE_FORGES=1 writes it anew');
  t.ok(SENT.length > 400, `${SENT.length} deliveries`);
});
