import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const clone = join(import.meta.dirname, '../..');
const BOUND_MS = 240_000;

/** A server and an agent as an operator starts them: what the conformance run gets of them is an address and a token. */
export interface Standing {
  base_url: string;
  token: string;
  /** Have they a /tmp and a list of processes of their own? */
  apart: boolean;
  stop(): Promise<void>;
}

const NAMESPACES = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
const asRoot = () => (process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']);

/** Does this machine let programs have namespaces of their own? Tried as they are used. */
const canBeApart = (): Promise<boolean> =>
  promisify(execFile)('unshare', [
    ...asRoot(),
    ...NAMESPACES,
    'bash',
    join(import.meta.dirname, 'apart.sh'),
    clone,
    'true',
  ])
    .then(() => true)
    .catch(() => false);

/** `env`: what the operator sets besides. */
export async function startStanding(env: Record<string, string> = {}): Promise<Standing> {
  const apart = await canBeApart();
  const operator = ['bash', join(import.meta.dirname, 'standing.sh'), join(clone, 'cli/svc')];
  const inside = ['unshare', ...asRoot(), ...NAMESPACES, 'bash', join(import.meta.dirname, 'apart.sh'), clone];
  const [program = '', ...args] = apart ? [...inside, ...operator] : operator;
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
  const killer = setTimeout(() => child.kill('SIGKILL'), BOUND_MS);
  const said: string[] = [];
  for await (const line of createInterface(child.stdout)) if (said.push(line) === 2) break;
  clearTimeout(killer);
  const [base_url, token] = said;
  const ended = once(child, 'close');
  const stop = async () => {
    child.stdin.end();
    await ended;
  };
  if (base_url !== undefined && token !== undefined) return { base_url, token, apart, stop };
  await stop();
  throw new Error('the server and the agent did not start');
}
