import t from 'tap';
import { Client } from './client/client.ts';
import { CliError } from './errors.ts';
import { suggestEmittedTypes, suggestHandledType, suggestListenedType } from './event-types.ts';

type Call = Parameters<Client['json']>[0];

/** A client of a project with these types, in pages of 200. Tells its calls. */
class StandIn extends Client {
  readonly calls: Call[] = [];
  readonly #types: readonly string[];

  constructor(types: readonly string[]) {
    super({ url: '', token: 'x', org: 'o', project: 'p', origin: '', token_origin: '' });
    this.#types = types;
  }

  override async json<T>(call: Call): Promise<T> {
    this.calls.push(call);
    if (call.path.endsWith('/handlers')) return { handlers: [{ on: ['order.paid', 'order.*'] }] } as T;
    if (call.path.endsWith('/runs'))
      return {
        runs: [{ substate: { kind: 'event', name: 'stock.low' } }, { substate: { kind: 'sleep', name: 'stock.lw' } }],
      } as T;
    if (!call.path.endsWith('/event-types')) return { deliveries: [] } as T;
    const from = Number(call.query?.cursor ?? 0);
    const types = this.#types.slice(from, from + 200).map((type) => ({ type }));
    return { types, next_cursor: from + 200 < this.#types.length ? String(from + 200) : undefined } as T;
  }
}

const many = (count: number) => Array.from({ length: count }, (_, n) => `filler.${n}`);

t.test('a type that the project does not know is paired with a similar one', async (t) => {
  const api = new StandIn(['order.paid', ...many(500)]);
  t.same(await suggestEmittedTypes(api, ['order.payd', 'order.paid', 'other.thing', 'order.*']), [
    ['order.payd', 'order.paid'],
  ]);
  t.equal(api.calls.length, 3);
});

t.test('a type that differs in the case of its letters is suggested, also with another slip', async (t) => {
  const api = new StandIn(['order.paid', 'Stock.Low', 'build.1']);
  t.same(await suggestEmittedTypes(api, ['ORDER.PAID', 'order.PIAD', 'stock.low', 'BUILD.1', 'BUILD.2']), [
    ['ORDER.PAID', 'order.paid'],
    ['order.PIAD', 'order.paid'],
    ['stock.low', 'Stock.Low'],
    ['BUILD.1', 'build.1'],
  ]);
  t.equal(await suggestListenedType(api, 'evt_1', 'Order.Paid'), 'order.paid');
  t.equal(await suggestHandledType(api, 'STOCK.LOW'), undefined, 'no handler is for it');
  t.equal(await suggestHandledType(api, 'ORDER.PAID'), 'order.paid');
});

t.test('without all types nobody knows which one is unknown', async (t) => {
  const api = new StandIn(['order.paid', ...many(1200), 'order.payd']);
  t.same(await suggestEmittedTypes(api, ['order.payd']), []);
  t.equal(api.calls.length, 5, 'and the others are not read');
});

t.test('an event that nothing reacted to is meant for a handler with a similar type', async (t) => {
  const api = new StandIn(many(1200));
  t.equal(await suggestListenedType(api, 'evt_1', 'order.payd'), 'order.paid');
  t.equal(api.calls.length, 8);
  t.equal(await suggestListenedType(api, 'evt_1', 'stock.lwo'), 'stock.low', 'or for a run that waits');
  for (const { idle_ms = Infinity } of api.calls) t.ok(idle_ms < 10_000, 'nobody waits long for a suggestion');
});

t.test('events to come are meant for a handler with a similar type, unless one handles them', async (t) => {
  const api = new StandIn([]);
  t.equal(await suggestHandledType(api, 'ordr.paid'), 'order.paid');
  t.equal(await suggestHandledType(api, 'order.piad'), undefined, 'order.* handles it');
  t.equal(await suggestHandledType(api, 'order.paid'), undefined);
  t.equal(await suggestHandledType(api, 'build.done'), undefined);
});

t.test('a request that fails is no failure, and a fault is one', async (t) => {
  const failing = (error: Error) =>
    Object.assign(new StandIn([]), {
      json: async () => {
        throw error;
      },
    });
  const unreachable = failing(new CliError(3, 'unreachable', 'cannot reach it', ''));
  t.equal(await suggestListenedType(unreachable, 'evt_1', 'order.payd'), undefined);
  t.same(await suggestEmittedTypes(unreachable, ['order.payd']), []);
  const fault = failing(new TypeError('a fault'));
  await t.rejects(suggestListenedType(fault, 'evt_1', 'order.payd'), TypeError);
  await t.rejects(suggestEmittedTypes(fault, ['order.payd']), TypeError);
});
