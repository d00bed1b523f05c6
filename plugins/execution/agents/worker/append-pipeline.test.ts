import t from 'tap';
import { AgentErrors, leaseLost } from '../errors.ts';
import { ids, keepingLog } from '../testing/doubles.ts';
import type { AgentLink } from '../contract.ts';
import type { JournalRecord } from '../../../engine/runs/contract.ts';
import { AppendPipeline } from './append-pipeline.ts';
import { ClaimClient } from './claim-client.ts';
import { Errors } from '../../../../kernel/contracts/index.ts';
import { systemClock as clock, until } from '../../../../test/kit/index.ts';

type Sent = { position: number; resolve: () => void; reject: (error: Error) => void };

/** A server that answers each append when, and as, a test says. */
function line() {
  const sent: Sent[] = [];
  const lost: string[] = [];
  const request = (_op: string, { record }: { record: JournalRecord }) =>
    new Promise((resolve, reject) => {
      sent.push({ position: record.position, resolve: () => resolve({}), reject });
    });
  const claim = { activity_id: 'act_1', epoch: 1 };
  const client: ClaimClient = new ClaimClient({
    link: { request } as unknown as AgentLink,
    ...{ claim, clock, ids, log: keepingLog() },
    onLost: (reason) => {
      lost.push(reason);
      client.reject();
    },
  });
  const appends = new AppendPipeline(client, claim, () => undefined);
  const stored: number[] = [];
  const add = (position: number) => {
    const added = appends.add({ position } as JournalRecord).then(() => void stored.push(position));
    added.catch(() => undefined);
    return added;
  };
  return { sent, lost, add, stored, positions: () => sent.map(({ position }) => position) };
}

const gap = AgentErrors.channelLost('it leaves a gap');

t.test('records are under way together, and stored in their order', async (t) => {
  const { sent, add, stored, positions } = line();
  const all = [add(0), add(1), add(2)];
  t.same(positions(), [0, 1, 2]);
  sent[2]!.resolve();
  sent[1]!.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  t.same(stored, [], 'none before the first one');
  sent[0]!.resolve();
  await Promise.all(all);
  t.same(stored, [0, 1, 2]);
  t.same(positions(), [0, 1, 2], 'each was sent once');
});

t.test('what is refused because the one before failed is sent again after it', async (t) => {
  const { sent, add, stored, positions } = line();
  const all = [add(0), add(1), add(2)];
  sent[0]!.reject(Errors.unavailable('not now'));
  sent[1]!.reject(gap);
  sent[2]!.reject(gap);
  await until(() => sent.length === 4);
  t.same(positions(), [0, 1, 2, 0], 'the first alone');
  sent[3]!.resolve();
  await until(() => sent.length === 5);
  sent[4]!.resolve();
  await until(() => sent.length === 6);
  sent[5]!.resolve();
  await Promise.all(all);
  t.same(positions(), [0, 1, 2, 0, 1, 2]);
  t.same(stored, [0, 1, 2]);
});

t.test('a claim that is lost refuses them all', async (t) => {
  const { sent, add, stored, lost } = line();
  const all = [add(0), add(1)];
  sent[0]!.reject(leaseLost('another has it'));
  for (const one of all) await t.rejects(one, { code: 'lease_lost' });
  await t.rejects(add(2), { code: 'lease_lost' });
  t.same(stored, []);
  t.same(lost, ['another has it']);
});
