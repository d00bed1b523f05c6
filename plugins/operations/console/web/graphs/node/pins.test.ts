import t from 'tap';
import { INPUT, pinnedInput, pinOf, withPins } from './pins.ts';

const document = {
  nodes: [
    { id: 'hook', type: 'trigger.webhook' },
    { id: 'a', type: 'set' },
  ],
};
const seen = (output: unknown) => ({ output, status: 'failed', error: null, case: null });

t.test('what is pinned is seen in place of what the run had', async (t) => {
  const sample = { input: 1, nodes: { a: seen(1), b: seen(2) } };
  t.equal(withPins(sample, {}, document), sample);
  t.same(withPins(sample, { [pinOf('a')]: 9 }, document), {
    input: 1,
    nodes: { a: { output: 9, status: 'succeeded', error: null, case: null }, b: seen(2) },
  });
  t.same(withPins(undefined, { [INPUT]: { id: 7 } }, document), { nodes: {}, input: { id: 7 } });
});

t.test('what a trigger gives is the input of the run', async (t) => {
  t.equal(pinnedInput({ [pinOf('hook')]: 5 }, document), 5);
  t.equal(pinnedInput({ [pinOf('hook')]: 5, [INPUT]: 6 }, document), 6);
  t.equal(pinnedInput({ [pinOf('a')]: 5 }, document), undefined);
  t.equal(withPins(undefined, { [pinOf('hook')]: 5 }, document)?.input, 5);
});
