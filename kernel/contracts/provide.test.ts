import t from 'tap';
import { deferred, extensionPoint, provide, type Resolve, token } from './index.ts';

const Name = token<string>('test.Name');
const Guests = extensionPoint<string>('test.Guests');

/** Resolves what the table holds, and counts the calls. */
function resolver(table: Record<string, unknown>): Resolve & { calls: number } {
  const use = Object.assign((one: { name: string }) => (use.calls++, table[one.name]), {
    calls: 0,
    all: (point: { name: string }) => table[point.name],
  });
  return use as Resolve & { calls: number };
}

const use = () => resolver({ 'test.Name': 'ana', 'test.Guests': ['bo', 'cy'] });

interface PartyDeps {
  host: string;
  guests: readonly string[];
  rooms: number;
  host_later: () => string;
}

class Party {
  readonly text: string;
  constructor({ host, guests, rooms, host_later }: PartyDeps) {
    this.text = `${host} ${guests.join('+')} ${rooms} ${host_later()}`;
  }
}

const sources = { host: Name, guests: Guests, rooms: () => 3, host_later: deferred(Name) };

t.test('a class gets its dependencies as one object', async (t) => {
  const party = provide(Party, sources)(use());
  t.ok(party instanceof Party);
  t.equal(party.text, 'ana bo+cy 3 ana');
});

t.test('so does a function, declared or not', async (t) => {
  function greet({ host }: { host: string }): string {
    return `hello ${host}`;
  }
  t.equal(provide(greet, { host: Name })(use()), 'hello ana');
  const shout = ({ host }: { host: string }): string => host.toUpperCase();
  t.equal(provide(shout, { host: Name })(use()), 'ANA');
});

t.test('a deferred dependency is resolved when it is called', async (t) => {
  const resolve = use();
  const later = provide(({ name }: { name: () => string }) => name, { name: deferred(Name) })(resolve);
  t.equal(resolve.calls, 0);
  t.equal(later(), 'ana');
  t.equal(resolve.calls, 1);
});

t.test('the factory bears the name of what it makes, for errors', async (t) => {
  t.equal(provide(Party, sources).name, 'Party');
});
