import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Clock, Log } from '../../../../../kernel/contracts/index.ts';
import { defineVerb } from '../../contract.ts';
import { replay, verbs } from '../../executor/testing/plugins.ts';
import { openSocketServer } from '../server.ts';
import { Activity } from '../../../../../test/kit/index.ts';

/** What the agent has logged as errors. */
export const errors: string[] = [];
const log: Log = {
  debug() {},
  info() {},
  warn() {},
  error: (_fields, message) => errors.push(message),
  child: () => log,
};
const still: Clock = { now: () => 7, monotonic: () => performance.now(), after: () => () => undefined };

export type Message = Record<string, unknown>;

/** A client that writes what it is told, byte by byte if need be, and reads whole lines. */
export class Client {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  #lines: Message[] = [];
  #wanted: ((message: Message) => void)[] = [];

  constructor(path: string) {
    this.socket = connect(path);
    this.closed = new Promise((closed) => this.socket.once('close', () => closed()));
    this.socket.on('error', () => undefined);
    let text = '';
    this.socket.on('data', (chunk) => {
      text += chunk.toString();
      const lines = text.split('\n');
      text = lines.pop()!;
      for (const line of lines) {
        const take = this.#wanted.shift();
        if (take) take(JSON.parse(line));
        else this.#lines.push(JSON.parse(line));
      }
    });
  }

  send(...messages: (Message | string)[]): this {
    this.socket.write(messages.map((m) => `${typeof m === 'string' ? m : JSON.stringify(m)}\n`).join(''));
    return this;
  }

  next(): Promise<Message> {
    const line = this.#lines.shift();
    return line ? Promise.resolve(line) : new Promise((resolve) => void this.#wanted.push(resolve));
  }

  async ask(message: Message | string): Promise<Message> {
    return await this.send(message).next();
  }

  async hello(protocol = 2): Promise<this> {
    await this.ask({ id: 0, op: 'hello', protocol });
    return this;
  }
}

const broken = defineVerb({ verb: 'broken', summary: '', usage: 'svc broken' }, async () => {
  throw new Error('secret detail');
});

/** The agent socket of one pass, and whatever callers a test wants. */
export async function open(t: Test, activity = new Activity(), clock = still) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-socket-'));
  const path = join(folder, 's');
  const ends: unknown[] = [];
  const journal = replay.open({
    assignment: { run_id: 'run_1', activity_id: 'act_1', journal: activity.journal },
    source: () => '',
    host: activity,
    clock,
    flushLog: async () => {},
    endPass: (end) => {
      ends.push(end);
      server.cancelCalls();
    },
    onServiceError: () => {},
  });
  const server = await openSocketServer(path, {
    verbs: new Map([...verbs, broken].map((verb) => [verb.verb, verb])),
    journal: (alive) => journal.for(alive),
    log_name: async () => '1:2 1:3',
    attempts: { path: '/svc-attempt', grace_ms: 5000 },
    clock,
    log,
  });
  const clients: Client[] = [];
  t.teardown(async () => {
    for (const client of clients) client.socket.destroy();
    await server.close();
    await rm(folder, { recursive: true });
  });
  const client = () => {
    clients.push(new Client(path));
    return clients.at(-1)!;
  };
  return { path, server, journal, client, activity, ends };
}
