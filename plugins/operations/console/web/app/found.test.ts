import t from 'tap';
import { type Command, found, pieces, rankOf } from './found.ts';

const command = (group: Command['group'], label: string, also?: string): Command => ({
  ...{ id: `${group} ${label}`, group, label, go: () => undefined },
  ...(also !== undefined && { also }),
});

const ALL = [
  command('Actions', 'Run orders…'),
  command('Pages', 'Runs'),
  command('Graphs', 'orders'),
  command('Handlers', 'order-receipt'),
  command('Runs', 'fulfil-order.ts', 'run_01M8BKHCK08X'),
];

const labels = (text: string) => found(ALL, text).map(([group, list]) => [group, ...list.map(({ label }) => label)]);

t.test('a part of a name finds it, the beginning first', async (t) => {
  t.same(labels('ord'), [
    ['Graphs', 'orders'],
    ['Handlers', 'order-receipt'],
    ['Actions', 'Run orders…'],
    ['Runs', 'fulfil-order.ts'],
  ]);
  t.same(labels('runs'), [['Pages', 'Runs']], 'the page, not every run');
});

t.test('a run is found by the end of its id', async (t) => {
  t.same(labels('hck08x'), [['Runs', 'fulfil-order.ts']]);
  t.equal(rankOf(ALL[4]!, '8BKH'), 2);
  t.equal(rankOf(ALL[4]!, 'nothing like it'), undefined);
});

t.test('what was typed stands out', async (t) => {
  t.same(pieces('fulfil-Order.ts', 'ord'), ['fulfil-', 'Ord', 'er.ts']);
  t.same(pieces('orders', ''), ['orders', '', '']);
});
