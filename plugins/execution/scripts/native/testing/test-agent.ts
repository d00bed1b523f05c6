import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A private folder that goes with the test. */
export function privateFolder(t: { teardown(undo: () => void): unknown }): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-native-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Waits for a condition; the runner's time limit ends a test whose condition never comes. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(5);
}

/** Whether a process has ended, even if nobody has reaped it. */
export function gone(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return true;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: messages of the socket are looked at by the tests themselves
export type Message = Record<string, any>;
export type Handler = (message: Message, socket: Socket) => unknown;

export interface TestAgent {
  path: string;
  messages: Message[];
  close(): void;
}

/** A real Unix socket server: the hello is answered, everything else by `handle`; what it returns is sent. */
export async function testAgent(path: string, handle: Handler): Promise<TestAgent> {
  const messages: Message[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    let rest = '';
    sockets.add(socket);
    socket.setEncoding('utf8');
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const message: Message = JSON.parse(line);
        messages.push(message);
        const reply = message['op'] === 'hello' ? { id: 0, ok: true, protocol: 2 } : handle(message, socket);
        if (reply !== undefined && !socket.destroyed)
          socket.write(typeof reply === 'string' ? `${reply}\n` : `${JSON.stringify(reply)}\n`);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    path,
    messages,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

export interface Ran {
  code: number | null;
  signal: string | null;
  stdout: Buffer;
  stderr: string;
}

export interface RunOptions {
  env?: Record<string, string>;
  cwd?: string;
  stdin?: string | Buffer | 'none';
  /** A descriptor in place of a pipe. */
  stdout?: number;
  onStderr?: (text: string, child: ChildProcess) => void;
  onStart?: (child: ChildProcess) => void;
}

/** Runs a program to its end. */
export function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: { PATH: process.env['PATH'] ?? '', ...options.env },
    stdio: [
      options.stdin === undefined || options.stdin === 'none' ? 'ignore' : 'pipe',
      options.stdout ?? 'pipe',
      'pipe',
    ],
  });
  const stdout: Buffer[] = [];
  let stderr = '';
  child.stdout?.on('data', (data) => stdout.push(data));
  child.stderr?.on('data', (data) => {
    stderr += data;
    options.onStderr?.(stderr, child);
  });
  child.stdin?.on('error', () => undefined);
  if (options.stdin !== 'none') child.stdin?.end(options.stdin);
  options.onStart?.(child);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout: Buffer.concat(stdout), stderr }));
  });
}
