import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Api } from './api.ts';
import { timed, together } from './statistics.ts';

/** Emits a second that a bare Restify in a process of its own takes from so many clients, who are those of the service. */
export async function restifyPerSecond(count: number, clients: number): Promise<number> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare-restify.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [port] = await once(child.stdout, 'data');
    const api = new Api(`http://127.0.0.1:${String(port).trim()}`, 'none', 'bench', 'main');
    const emits = (many: number) => timed(() => together(many, clients, (n) => api.emit('bench.noise', { n })));
    await emits(Math.ceil(count / 4));
    const ms = await emits(count);
    api.close();
    return (count / ms) * 1000;
  } finally {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
}
