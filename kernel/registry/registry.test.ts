import t, { type Test } from 'tap';
import { extensionPoint, isServiceError, movedPoint, token } from '../contracts/index.ts';
import { Registry } from './registry.ts';

const Left = token<{ name: string }>('test.Left');
const Right = token<{ name: string }>('test.Right');

const coded = (code: string, detail: RegExp) => (error: unknown) =>
  isServiceError(error, code) && detail.test(error.message);

function refuses(t: Test, code: string, detail: RegExp, run: () => unknown): void {
  try {
    run();
    t.fail(`nothing was refused; ${code} was expected`);
  } catch (error) {
    t.ok(coded(code, detail)(error), `${code}: ${(error as Error).message}`);
  }
}

t.test('a service is made once, at its first use', async (t) => {
  const registry = new Registry();
  let made = 0;
  registry.bind('one', Left, () => ({ name: `left ${(made += 1)}` }));
  registry.bind('two', Right, (use) => ({ name: `right of ${use(Left).name}` }));
  t.equal(made, 0);
  t.equal(registry.use(Right).name, 'right of left 1');
  t.equal(registry.use(Left), registry.use(Left));
});

t.test('two registries share nothing', async (t) => {
  const [one, two] = [new Registry(), new Registry()];
  one.bind('a', Left, () => ({ name: 'one' }));
  two.bind('a', Left, () => ({ name: 'two' }));
  t.same([one.use(Left).name, two.use(Left).name], ['one', 'two']);
});

t.test('what cannot be is refused and names who is to blame', async (t) => {
  const registry = new Registry();
  registry.bind('one', Left, (use) => use(Right));
  registry.bind('two', Right, (use) => use(Left));
  refuses(t, 'plugin_registration_conflict', /three binds test\.Left, which one has already bound/, () =>
    registry.bind('three', Left, () => ({ name: '' })),
  );
  refuses(t, 'plugin_service_cycle', /test\.Left → test\.Right → test\.Left/, () => registry.use(Left));
  refuses(t, 'plugin_service_unbound', /no plugin provides test\.Absent/, () => registry.use(token('test.Absent')));
  registry.seal();
  refuses(t, 'plugin_registration_closed', /late binds test\.Late/, () =>
    registry.bind('late', token('test.Late'), () => 1),
  );
});

t.test('contributions keep the order of boot, and an empty point is empty', async (t) => {
  const point = extensionPoint<string>('test.Words', {
    key: (word) => word,
    check: (word) => (word === '' ? 'is empty' : undefined),
  });
  const registry = new Registry();
  t.same(registry.use.all(extensionPoint('test.Nothing')), []);
  registry.contribute('one', point, () => ['b', 'c']);
  registry.contribute('two', point, () => 'a');
  t.same(registry.use.all(point), ['b', 'c', 'a']);
  t.equal(registry.use.all(point), registry.use.all(point), 'made once');
  t.same(registry.declared('one'), { provides: [], contributes: ['test.Words'] });

  const twice = new Registry();
  twice.contribute('one', point, () => 'same');
  twice.contribute('two', point, () => 'same');
  refuses(
    t,
    'plugin_registration_conflict',
    /two contributes "same" to test\.Words, which one has already contributed/,
    () => twice.use.all(point),
  );
  const wrong = new Registry();
  wrong.contribute('one', point, () => '');
  refuses(t, 'plugin_contribution_invalid', /one contributes to test\.Words: is empty/, () => wrong.use.all(point));
});

t.test('contributions under the former name of a point reach the point that replaces it', async (t) => {
  const point = extensionPoint<{ text: string }>('test.Texts', { key: ({ text }) => text });
  const former = movedPoint('test.Words', point, (word: string) => ({ text: word }));
  const registry = new Registry();
  registry.contribute('new', point, () => ({ text: 'a' }));
  registry.contribute('old', former, () => ['b', 'c']);
  registry.contribute('older', former, () => 'd');
  t.same(
    registry.use.all(point).map(({ text }) => text),
    ['a', 'b', 'c', 'd'],
  );
  t.same(registry.declared('old'), { provides: [], contributes: ['test.Words'] }, 'as its manifest says');
  t.same(registry.moved, [
    { plugin: 'old', from: 'test.Words', to: 'test.Texts' },
    { plugin: 'older', from: 'test.Words', to: 'test.Texts' },
  ]);
  const twice = new Registry();
  twice.contribute('one', point, () => ({ text: 'same' }));
  twice.contribute('two', former, () => 'same');
  refuses(t, 'plugin_registration_conflict', /two contributes "same" to test\.Texts/, () => twice.use.all(point));
});

t.test('what a plugin owns is made once and is not declared', async (t) => {
  const registry = new Registry();
  let made = 0;
  const [one, two] = [1, 2].map(() => registry.own('own', () => ({ name: `own ${(made += 1)}` })));
  registry.bind('own', Left, (use) => use(one!));
  t.equal(made, 0);
  t.equal(registry.use(Left), registry.use(one!));
  t.equal(registry.use(two!).name, 'own 2');
  t.same(registry.declared('own').provides, ['test.Left']);
});
