import t from 'tap';
import { INPUT, pinOf, withPins } from './pins.ts';

t.test('what is pinned is seen in place of what the run had', async (t) => {
  const seen = (output: unknown) => ({ output, status: 'failed', error: null, case: null });
  const sample = { input: 1, nodes: { a: seen(1), b: seen(2) } };
  t.equal(withPins(sample, {}), sample);
  t.same(withPins(sample, { [pinOf('a')]: 9 }), {
    input: 1,
    nodes: { a: { output: 9, status: 'succeeded', error: null, case: null }, b: seen(2) },
  });
  t.same(withPins(undefined, { [INPUT]: { id: 7 } }), { nodes: {}, input: { id: 7 } });
});
