import t from 'tap';
import { Errors } from '../../../../kernel/contracts/index.ts';
import type { ToldCall } from '../../../engine/runs/contract.ts';
import { VirtualClock } from '../../../../test/kit/index.ts';
import { keepingLog } from '../testing/doubles.ts';
import { CallReporter } from './call-reporter.ts';

const claim = (activity_id: string, epoch = 1) => ({ activity_id, epoch });
const slow = { kind: 'step', name: 'slow', ordinal: 0, position: 3 };
const same = (text: string) => text;

function teller() {
  const clock = new VirtualClock();
  const sent: ToldCall[][] = [];
  const answers: Error[] = [];
  const link = {
    request: async (_op: string, body: unknown) => {
      sent.push((body as { calls: ToldCall[] }).calls);
      const failure = answers.shift();
      if (failure) throw failure;
      return {} as never;
    },
  };
  return { clock, sent, answers, calls: new CallReporter({ link, clock, log: keepingLog() }) };
}

t.test('what lasts is told once, and that it is over; what does not last costs no frame', async (t) => {
  const { clock, sent, calls } = teller();
  const a = claim('a');
  for (let n = 0; n < 20; n++) {
    const over = calls.begin(a, slow, same);
    await clock.advance(20);
    over();
  }
  t.same(sent, [], 'twenty short ones');
  const over = calls.begin(a, { ...slow, label: 'with x' }, (text) => text.replace('x', '***'));
  const other = calls.begin(claim('b'), { ...slow, attempt: 2, attempts: 3 }, same);
  await clock.advance(1000);
  t.equal(sent.length, 1, 'together');
  t.match(sent[0], [
    { claim: a, call: { kind: 'step', name: 'slow', position: 3, label: 'with ***' } },
    { claim: claim('b'), call: { attempt: 2, attempts: 3 } },
  ]);
  t.ok(sent[0]!.every(({ call }) => call!.for_ms >= 250 && call!.for_ms <= 500));
  over();
  over();
  t.same(sent.slice(1), [[{ claim: a }]]);
  calls.begin(claim('c'), slow, same)();
  other();
  await clock.advance(1000);
  t.equal(sent.length, 3);
  t.equal(clock.armed, 0, 'nothing is looked for while nothing is carried out');
});

t.test('the next call of a claim ends the one before; a claim that is over says nothing', async (t) => {
  const { clock, sent, calls } = teller();
  const a = claim('a');
  const first = calls.begin(a, slow, same);
  await clock.advance(300);
  calls.begin(a, { ...slow, position: 4 }, same);
  t.same(sent.slice(1), [[{ claim: a }]]);
  first();
  await clock.advance(600);
  t.match(sent.slice(2), [[{ claim: a, call: { position: 4 } }]], 'and does not end it later');
  calls.drop(a);
  calls.onReconnect();
  await clock.advance(1000);
  t.equal(sent.length, 3);
});

t.test('another connection is told anew, and for how long already', async (t) => {
  const { clock, sent, calls } = teller();
  calls.begin(claim('a'), slow, same);
  await clock.advance(5000);
  calls.onReconnect();
  t.equal(sent.length, 2);
  t.equal(sent[1]![0]!.call!.for_ms, 5000);
});

t.test(
  'a server that does not know it is left alone until the next connection; another failure is repeated',
  async (t) => {
    const { clock, sent, answers, calls } = teller();
    answers.push(Errors.internal('once'), Errors.invalidRequest('unknown request "under_way"'));
    const over = calls.begin(claim('a'), slow, same);
    await clock.advance(600);
    t.equal(sent.length, 2, 'told again after the failure');
    await clock.advance(5000);
    over();
    t.equal(sent.length, 2);
    calls.begin(claim('a'), slow, same);
    calls.onReconnect();
    await clock.advance(600);
    t.equal(sent.length, 3);
    calls.close();
    calls.begin(claim('b'), slow, same);
    t.equal(clock.armed, 0);
  },
);
