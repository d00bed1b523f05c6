import t from 'tap';
import { VirtualClock } from '../../../../test/kit/index.ts';
import type { AgentLink } from '../contract.ts';
import { SlotAnnouncer } from './slot-announcer.ts';

/** An agent with so many slots, as its places see it. */
function world(slots: number) {
  const clock = new VirtualClock();
  const told: { free: number; seen?: number }[] = [];
  const state = { busy: 0, draining: false };
  const request = async (_op: string, body: { free: number; seen?: number }) => void told.push(body);
  const places = new SlotAnnouncer({
    clock,
    link: { request } as unknown as AgentLink,
    freeSlots: () => (state.draining ? 0 : slots - state.busy),
    onUnanswered: (error) => t.fail(String(error)),
  });
  const begin = (count = 1) => {
    state.busy += count;
    places.received(count);
  };
  const end = () => {
    state.busy -= 1;
    places.slotFreed();
  };
  places.reset();
  places.announce();
  return { clock, told, state, places, begin, end };
}

t.test('runs that follow each other need no message; what is free is told a moment later', async (t) => {
  const { clock, told, begin, end } = world(8);
  for (let n = 0; n < 3; n += 1) {
    begin();
    end();
  }
  t.same(told, [{ free: 8, seen: 0 }]);
  await clock.advance(25);
  t.same(told.slice(1), [{ free: 8, seen: 3 }]);
  t.equal(clock.armed, 0);
});

t.test('a server that counts on too few places hears at once', async (t) => {
  const { clock, told, begin, end } = world(8);
  begin(8);
  end();
  t.same(told.slice(1), [{ free: 1, seen: 8 }], 'it counted on none');
  begin();
  end();
  t.same(told.slice(2), [{ free: 1, seen: 9 }]);
  end();
  end();
  t.same(told.slice(3), [{ free: 3, seen: 9 }], 'one of three is not the half');
  await clock.advance(25);
  t.equal(told.length, 4, 'what was told meanwhile is not told again');
});

t.test('a single place is told at once', async (t) => {
  const { told, begin, end } = world(1);
  begin();
  end();
  t.same(told.slice(1), [{ free: 1, seen: 1 }]);
});

t.test('an agent that drains has none, and one that was closed tells nothing', async (t) => {
  const { clock, told, state, places, begin, end } = world(8);
  begin(2);
  end();
  state.draining = true;
  places.announce();
  t.same(told.slice(1), [{ free: 0, seen: 2 }]);
  end();
  places.close();
  await clock.advance(1000);
  t.equal(told.length, 2);
  t.equal(clock.armed, 0);
});

t.test('a new connection begins to count anew', async (t) => {
  const { told, places, begin } = world(4);
  begin(3);
  places.reset();
  places.announce();
  t.same(told.slice(1), [{ free: 1, seen: 0 }]);
});
