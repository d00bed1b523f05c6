import t from 'tap';
import { hueOf, stateWord } from './state.ts';

t.test('a state is read as people say it', async (t) => {
  t.equal(stateWord('succeeded'), 'Succeeded');
  t.equal(stateWord('needs_reauth'), 'Needs reconnecting');
  t.equal(stateWord('wrong_kind'), 'Wrong kind');
  t.equal(stateWord(''), '');
});

t.test('a state has a hue, and one that nobody knows is grey', async (t) => {
  t.equal(hueOf('refreshing'), 'running');
  t.equal(hueOf('in_doubt'), 'waiting');
  t.equal(hueOf('of a later version'), 'cancelled');
});
