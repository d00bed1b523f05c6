import t from 'tap';
import type { CallUnderWay } from '../../../engine/runs/contract.ts';
import { ReportedPass } from './reported-pass.ts';

t.test('a function that blocks its program stands in for the call, which comes back', async (t) => {
  const reported: (string | undefined)[] = [];
  const pass = new ReportedPass({
    reportCall: ({ kind, name, label }: CallUnderWay) => {
      reported.push(label ?? `${kind} ${name}`);
      return () => reported.push(undefined);
    },
  });
  const end = pass.begin({ kind: 'step', name: 'reserve', ordinal: 0 });
  pass.block(['order'], 0);
  pass.unblock();
  pass.unblock();
  end();
  end();
  t.same(reported, [
    ...['step reserve', undefined, 'the function order blocks the event loop of its program', undefined],
    ...['step reserve', undefined],
  ]);
  reported.length = 0;
  pass.block(['a', 'b', 'c', 'd'], 7);
  t.same(reported, ['one of 4 functions blocks the event loop of their program: a, b, c, …']);
});
