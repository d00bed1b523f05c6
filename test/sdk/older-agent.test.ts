import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { needs } from '../kit/needs.ts';

const SDK = join(import.meta.dirname, '../../plugins/execution/scripts/sdk');

/** What an agent starts a function with, and older ones too. */
const START = {
  name: 'looks',
  run_id: 'run_1',
  envelope: '{"type":"manual"}',
  env: { REGION: 'of-the-environment' },
  greeting: {
    protocol: 4,
    ahead: { run: 'run_1', activity: 'act_1', limit: 2_097_152, masks: false },
    lease_ms: 0,
    recorded: 0,
  },
};

const LANGUAGES = [
  {
    language: 'TypeScript',
    file: 'flows.ts',
    source: `import { vars, workflow } from 'svc/sdk';
workflow('looks', async (_input, context) => [vars(), context.vars === vars()]);`,
    command: (file: string) => [process.execPath, join(SDK, 'worker.mjs'), file],
    skip: {},
  },
  {
    language: 'Python',
    file: 'flows.py',
    source: `from svc_sdk import vars, workflow
@workflow
def looks():
    return [vars(), True]`,
    command: (file: string) => ['python3', '-B', '-m', 'svc_sdk.worker', file],
    skip: needs('python3'),
  },
];

/** Starts a program with workflows as an agent does. Resolves with the end of a pass that is started so. */
async function programOf(t: Test, [command = '', ...args]: string[]) {
  const env = { PATH: process.env.PATH, PYTHONPATH: SDK, SVC_WORKER_FD: '3' };
  const child = spawn(command, args, { env, stdio: ['ignore', 'inherit', 'inherit', 'pipe'] });
  const agent = child.stdio[3] as Duplex;
  t.teardown(async () => {
    agent.destroy();
    if (child.exitCode === null) await once(child, 'exit');
  });
  const messages = readMessages(agent);
  const send = (message: object) => agent.write(`0 ${JSON.stringify(message)}\n`);
  await messages.next();
  send({ registered: true });
  return async (start: object) => {
    send({ start: { ...START, ...start } });
    const { value } = await messages.next();
    return value as { end: number; output?: string };
  };
}

async function* readMessages(agent: Duplex): AsyncGenerator<unknown> {
  let rest = '';
  for await (const data of agent) {
    const lines = (rest + String(data)).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (line.startsWith('0 ')) yield JSON.parse(line.slice(2));
  }
}

for (const { language, file, source, command, skip } of LANGUAGES)
  t.test(`a program in ${language} runs on agents that send no variables, and on newer ones`, skip, async (t) => {
    const path = join(t.testdir(), file);
    writeFileSync(path, source);
    const start = await programOf(t, command(path));
    const outputOf = async (members: object) => JSON.parse((await start(members)).output ?? 'null');
    t.same(await outputOf({ pass: 1 }), [{}, true], 'an older agent, or a run without variables');
    t.same(await outputOf({ pass: 2, vars: { REGION: 'eu' } }), [{ REGION: 'eu' }, true]);
    t.same(await outputOf({ pass: 3, vars: { A: '' }, unknown: 1 }), [{ A: '' }, true], 'a newer agent');
  });
