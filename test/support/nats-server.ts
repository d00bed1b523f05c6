import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { NoServer } from './mysql-server.ts';
import { freePort } from '../../features/support/free-port.ts';

const READY_MS = 20_000;

/** A NATS server of our own, for tests that kill it. */
export interface PrivateNatsServer {
  /** With the user and the password that it asks for. */
  url: string;
  password: string;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A `nats-server` of this machine on a free port, or the reason why there is none. */
export async function startPrivateNats(): Promise<PrivateNatsServer | NoServer> {
  const program = findServer();
  if (!program) return { reason: 'there is no nats-server on this machine' };
  const port = await freePort();
  const password = 'nats-pass-5e21';
  let child: ChildProcess | undefined;
  const kill = async () => {
    const ending = child;
    child = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const gone = once(ending, 'exit');
    ending.kill('SIGKILL');
    await gone;
  };
  const restart = async () => {
    await kill();
    const login = ['--user', 'svc', '--pass', password];
    child = spawn(program, ['-a', '127.0.0.1', '-p', String(port), ...login], { stdio: 'ignore', cwd: tmpdir() });
    await ready(child, port);
  };
  await restart();
  return { url: `nats://svc:${password}@127.0.0.1:${port}`, password, kill, restart, stop: kill };
}

async function ready(child: ChildProcess, port: number): Promise<void> {
  for (const end = Date.now() + READY_MS; Date.now() < end; await delay(20)) {
    if (child.exitCode !== null) throw new Error(`nats-server ended with ${child.exitCode}`);
    const socket = connect(port, '127.0.0.1');
    const greeted = await Promise.race([
      once(socket, 'data').then(
        () => true,
        () => false,
      ),
      delay(500, false),
    ]);
    socket.destroy();
    if (greeted) return;
  }
  throw new Error('nats-server did not come up');
}

function findServer(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/bin'];
  return folders
    .map((folder) => join(folder, 'nats-server'))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
