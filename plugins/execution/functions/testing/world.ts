import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { boot, until } from '../../../../test/kit/index.ts';

/** The folder of the programs with workflows. */
export const PROGRAMS = join(import.meta.dirname, 'programs');

/** A server with a built-in agent that serves `file`. */
export async function serving(t: Test, file: string, { env = {}, store = 'sqlite' as 'sqlite' | 'mysql' } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'functions-'));
  const ledger = join(folder, 'ledger');
  writeFileSync(ledger, '');
  const before = { ...process.env };
  const server = await boot({
    role: 'dev',
    store,
    env: { PATH: process.env.PATH, LEDGER: ledger, SVC_WORKER_FILES: file, SVC_AGENT_SLOTS: '64', ...env },
  });
  t.teardown(async () => {
    await server.close();
    Object.assign(process.env, before);
    rmSync(folder, { recursive: true, force: true });
  });
  const submit = async (name: string, input?: unknown, more: object = {}) => {
    const answer = await server.call('member', `POST ${server.scoped}/runs`, { function: name, input, ...more });
    return { ...answer, run_id: (answer.json as { run_id?: string }).run_id ?? '' };
  };
  const read = async (run_id: string) => {
    const { json } = await server.call('member', `GET ${server.scoped}/runs/${run_id}`);
    return json as {
      status: string;
      output?: unknown;
      error?: { code: string; message: string };
      substate?: { kind: string };
    };
  };
  return {
    server,
    folder,
    submit,
    read,
    ledger: () =>
      readFileSync(ledger, 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
    reaches: (run_id: string, status: string) =>
      until(
        async () => {
          const run = await read(run_id);
          if (['succeeded', 'failed', 'cancelled'].includes(run.status) && run.status !== status)
            throw new Error(`the run is ${JSON.stringify(run)}`);
          return run.status === status && run;
        },
        { within_ms: 60_000, what: `${run_id} to be ${status}` },
      ),
    ended: (run_id: string) =>
      until(
        async () => {
          const run = await read(run_id);
          return ['succeeded', 'failed', 'cancelled'].includes(run.status) && run;
        },
        { within_ms: 60_000, what: `the end of ${run_id}` },
      ),
    signal: (run_id: string, name: string, payload: unknown) =>
      server.call('member', `POST ${server.scoped}/runs/${run_id}/signals/${name}`, payload),
    log: async (run_id: string) => {
      return (await server.call('member', `GET ${server.scoped}/runs/${run_id}/logs`)).text;
    },
  };
}
