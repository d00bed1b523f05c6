import t from 'tap';
import { passWithinProjects, PRIORITY_LEVEL_MS } from './priority.ts';

const work = (activity_id: string, due: number, priority = 0, project_id = 'a', untrusted = false) => ({
  ...{ activity_id, due, priority, project_id, untrusted },
});
const order = (...args: Parameters<typeof passWithinProjects<ReturnType<typeof work>>>) =>
  passWithinProjects(...args).map(({ activity_id }) => activity_id);

t.test('work with a priority passes work of its project, even some that was not among the oldest', async (t) => {
  const places = [work('1', 1), work('2', 2), work('3', 3, 0, 'b')];
  t.same(order(places, []), ['1', '2', '3']);
  t.same(order(places, [work('9', 9, 2), work('8', 8, 1)]), ['9', '8', '3']);
  t.same(order(places, [work('9', 9, 2, 'b')]), ['1', '2', '9'], 'the place of its project stays where it is');
  t.same(order(places, [work('9', 9, 2, 'c')]), ['1', '2', '3'], 'a project whose turn has not come');
});

t.test('nobody is passed for ever', async (t) => {
  const old = work('old', 0);
  t.same(order([old], [work('new', PRIORITY_LEVEL_MS - 1, 1)]), ['new']);
  t.same(order([old], [work('new', PRIORITY_LEVEL_MS, 1)]), ['old']);
  t.same(order([old], [work('new', 9 * PRIORITY_LEVEL_MS - 1, 9)]), ['new']);
  t.same(order([old], [work('new', 9 * PRIORITY_LEVEL_MS, 9)]), ['old']);
});

t.test('trusted work stays first', async (t) => {
  const places = [work('trusted', 5), work('untrusted', 1, 0, 'a', true)];
  t.same(order(places, [work('high', 9, 9)]), ['high', 'untrusted']);
});
