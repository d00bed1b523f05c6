import { setImmediate } from 'node:timers/promises';
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { Channel } from './channel.mjs';

type Line = { id: number; op: string; name: string; key?: string };

/** A channel to an agent that lends places for an hour with each record. Ends are answered when `stored` is resolved. */
async function connected(t: Test, stored: Promise<void> = Promise.resolve()) {
  // The path of a socket must be short.
  const folder = mkdtempSync(join(tmpdir(), 'svc-sdk-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 's');
  const heard: Line[] = [];
  const agent = Promise.withResolvers<Socket>();
  const answer = ({ op }: Line) =>
    op === 'hello'
      ? { ok: true, protocol: 3, ahead: { run: 'r', activity: 'a', limit: 100 } }
      : op === 'begin'
        ? { run: true, key: 'k', site: 'x#0', limit: 100 }
        : { record: { exit_code: 0, output: '', ordinal: 0 }, ahead: { ms: 3_600_000 } };
  const server = createServer((socket) => {
    agent.resolve(socket);
    socket.on('error', () => undefined);
    const lines = createInterface(socket);
    lines.on('error', () => undefined);
    lines.on('line', (text) => {
      const line = JSON.parse(text) as Line;
      heard.push(line);
      if (line.key !== undefined) return;
      const tell = () => socket.write(`${JSON.stringify({ id: line.id, ...answer(line) })}\n`);
      if (line.op === 'end') void stored.then(tell);
      else tell();
    });
  });
  await new Promise<void>((listening) => server.listen(path, listening));
  t.teardown(() => new Promise((closed) => server.close(closed)));
  const channel = new Channel(path, 0);
  t.teardown(() => channel.close());
  await channel.protocol();
  return { channel, heard, agent: await agent.promise };
}

const outcome = (stdout = '') => ({ exit: 0, stdout, size: 0 });

t.test('a begin that cannot be written begins nothing', async (t) => {
  const { channel, agent } = await connected(t);
  await channel.begin('x', undefined);
  await channel.end(outcome());
  t.match(await channel.begin('x', undefined), { run: true, ordinal: 1 }, 'a lease');
  await channel.end(outcome());
  // Closed, and this process has not heard of it.
  agent.destroy();
  await t.rejects(channel.begin('x', undefined), { code: 'agent_lost' });
});

t.test('steps of an older copy, which asks for each, are steps of the same connection', async (t) => {
  const { channel, heard } = await connected(t);
  await channel.ask({ op: 'begin', kind: 'step', name: 'x' });
  await channel.ask({ op: 'end', ...outcome() });
  t.match(await channel.begin('x', undefined), { run: true, ordinal: 1 }, 'the next of that name');
  t.equal(heard.length, 3);
});

t.test('outputs that are not answered are few when they are large', async (t) => {
  const stored = Promise.withResolvers<void>();
  const { channel } = await connected(t, stored.promise);
  const large = 'x'.repeat(2 * 1024 * 1024);
  const ends: Promise<unknown>[] = [];
  for (; channel.goesOn && ends.length < 100; ) {
    await channel.begin('x', undefined);
    ends.push(channel.end(outcome(large)));
  }
  t.equal(ends.length, 8);
  stored.resolve();
  await Promise.all(ends);
  t.ok(channel.goesOn, 'and it goes on with their answers');
});

t.test('no step begins on a connection that refused one', async (t) => {
  const { channel, agent } = await connected(t);
  await channel.begin('x', undefined);
  await channel.end(outcome());
  await channel.begin('x', undefined);
  agent.write(`${JSON.stringify({ id: 3, error: { code: 'no_such_place', message: 'no', next: '' } })}\n`);
  await channel.ask({ op: 'call' });
  await t.rejects(
    async () => {
      const ended = channel.end(outcome());
      t.notOk(channel.goesOn);
      await ended;
    },
    { code: 'no_such_place' },
  );
});

t.test('a run that was greeted at its start says no hello, and its first step asks nobody', async (t) => {
  const greeted = (greeting: object) => {
    const heard: Line[] = [];
    const stream = Object.assign(new EventEmitter(), {
      ...{ writable: true, writableLength: 0, ref: () => undefined, unref: () => undefined, destroy: () => undefined },
      write: (line: string) => heard.push(JSON.parse(line) as Line),
    });
    const answer = (reply: object) => stream.emit('data', Buffer.from(`${JSON.stringify(reply)}\n`));
    return { channel: new Channel('worker', 0, stream, greeting), heard, answer };
  };
  const ahead = { run: 'r', activity: 'a', limit: 100 };
  const lent = greeted({ protocol: 4, ahead, lease_ms: 3_600_000 });
  t.match(await lent.channel.begin('x', undefined), { run: true, ordinal: 0, site: 'x#0' });
  t.equal(await lent.channel.protocol(), 4);
  t.match(lent.heard, [{ op: 'begin', name: 'x', key: /^[0-9a-f]{64}$/ }]);

  const recorded = greeted({ protocol: 4, ahead, lease_ms: 0 });
  const begun = recorded.channel.begin('x', undefined);
  await setImmediate();
  recorded.answer({ id: 1, record: { exit_code: 0, output: '', ordinal: 0 } });
  t.match(await begun, { record: { ordinal: 0 } }, 'which may be in the journal');

  const later = greeted({ protocol: 99, ahead, lease_ms: 3_600_000 });
  t.match(later.heard, [{ op: 'hello', protocol: 4 }], 'an agent of a later version answers for both');
});
