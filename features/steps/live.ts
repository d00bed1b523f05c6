import assert from 'node:assert/strict';
import { type DataTable, Then, When } from '@cucumber/cucumber';
import { createParser } from 'eventsource-parser';
import { until } from '../support/process.ts';
import { settles } from '../support/settled.ts';
import type { SvcWorld } from '../support/world.ts';

interface Told {
  event: string;
  data: Record<string, unknown>;
  id: string | undefined;
}

/** What the stream of a scenario was told, and how it is ended. */
const streams = new WeakMap<SvcWorld, { told: Told[]; cut(): Promise<void> }>();

const toldTo = (world: SvcWorld): Told[] => streams.get(world)?.told ?? [];

async function follow(world: SvcWorld, topics: string, last_id?: string): Promise<void> {
  const told: Told[] = [];
  const parser = createParser({
    onEvent: ({ event = 'message', data, id }) =>
      void told.push({ event, id, data: JSON.parse(data) as Record<string, unknown> }),
  });
  const headers = {
    authorization: `Bearer ${world.target.token}`,
    ...(last_id === undefined ? {} : { 'last-event-id': last_id }),
  };
  const stop = new AbortController();
  const { signal } = stop;
  const response = await fetch(`${world.target.base_url}${world.scoped}/live?topics=${topics}`, { headers, signal });
  assert.equal(response.status, 200);
  const reading = feed(response, (text) => parser.feed(text));
  const cut = async () => {
    stop.abort();
    await reading;
  };
  streams.set(world, { told, cut });
  world.cleanups.push(cut);
  await until('the stream to begin', 10_000, async () => told.length > 0 || undefined);
}

/** Until the stream ends or is cut. */
async function feed(response: Response, take: (text: string) => void): Promise<void> {
  try {
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) take(text);
  } catch {
    // It was cut.
  }
}

When('I follow {string}', async function (this: SvcWorld, topics: string) {
  await follow(this, this.expand(topics));
});

When('the stream is cut', async function (this: SvcWorld) {
  this.notes.set('last message', toldTo(this).at(-1)?.id ?? '');
  await streams.get(this)?.cut();
});

When('it goes on with {string} after that', async function (this: SvcWorld, topics: string) {
  await follow(this, this.expand(topics), this.notes.get('last message'));
});

Then('I am soon told:', async function (this: SvcWorld, table: DataTable) {
  const wanted = table.rows().map(([event, member, value]) => ({ event, member: member!, value: this.expand(value!) }));
  const missing = () =>
    wanted.find(
      ({ event, member, value }) =>
        !toldTo(this).some((one) => one.event === event && String(one.data[member]) === value),
    );
  await until(`to be told ${JSON.stringify(wanted)}`, 20_000, async () => missing() === undefined || undefined);
});

Then('I was told {string} {int} time(s)', async function (this: SvcWorld, event: string, count: number) {
  await settles(async () => toldTo(this).filter((one) => one.event === event).length, count);
});
