import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import {
  type Handler,
  type Message,
  privateFolder,
  type Ran,
  type RunOptions,
  run,
  type TestAgent,
  testAgent,
} from './test-agent.ts';

export const MIB = 1024 * 1024;
export const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const command = (message: Message) => message['argv'].slice(message['argv'].indexOf('--') + 1);

/** Runs what stands after `--` and answers its outcome, as the agent does. */
export const steps =
  (more: Message = {}): Handler =>
  (message) =>
    message['op'] === 'verb'
      ? { id: 1, exec: command(message), key: 'key-1', limit: 2 * MIB, ...more }
      : { id: 1, exit: message['exit'], stderr: message['error'] && `${message['error']}\n` };

export interface ClientUnderTest {
  /** `bin` folder with svc, svc.verbs (step, sleep, file put) and svc.cli (/bin/echo CLI). */
  folder: string;
  /** Runs arguments that are not UTF-8, and dies of SIGPIPE itself. */
  native: boolean;
  /** Is a bash that answers itself: what it is sent is the shell's, not the client's. */
  in_shell?: boolean;
}

export interface Case {
  call(handle: Handler, args: readonly string[], options?: RunOptions): Promise<Ran>;
  agent(): TestAgent;
  folder: string;
  client: string;
}

export function cases(t: Test, under: ClientUnderTest): Case {
  const folder = realpathSync(privateFolder(t));
  const client = join(under.folder, 'svc');
  let agent: TestAgent | undefined;
  let count = 0;
  return {
    folder,
    client,
    agent: () => agent!,
    async call(handle, args, options = {}) {
      agent = await testAgent(join(folder, `s${++count}`), handle);
      try {
        return await run(client, args, { ...options, env: { SVC_AGENT_SOCKET: agent.path, ...options.env } });
      } finally {
        agent.close();
      }
    },
  };
}
