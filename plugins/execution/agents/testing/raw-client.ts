import { WebSocket } from 'ws';
import { type AgentHello, CHANNEL_PROTOCOL } from '../contract.ts';
import { until } from '../../../../test/kit/index.ts';

export type Answer = {
  id?: number;
  ok?: unknown;
  error?: { code: string; message: string };
  push?: string;
  assignments?: unknown[];
};

export const hello = (given: Partial<AgentHello> = {}): AgentHello => ({
  protocol: CHANNEL_PROTOCOL,
  name: 'raw',
  instance: 'ins_raw',
  os: 'linux',
  arch: 'x64',
  capabilities: ['testing'],
  slots: 4,
  version: '0.1.0',
  pid: 1,
  executors: ['test'],
  isolation: { untrusted: 'isolate' },
  holding: [],
  ...given,
});

/** A client that sends whatever a test wants, valid or not. */
export async function raw(port: number, token = 'svc_agt_one') {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/v1/agents/connect`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const answers: Answer[] = [];
  let closed: number | undefined;
  socket.on('message', (data) => answers.push(JSON.parse((data as Buffer).toString()) as Answer));
  socket.on('close', (code) => {
    closed = code;
  });
  socket.on('error', () => {});
  await until(() => socket.readyState === WebSocket.OPEN);
  let next = 0;
  return {
    socket,
    answers,
    closed: () => closed,
    async ask(op: string, body: unknown, id = (next += 1)): Promise<Answer> {
      const before = answers.filter((answer) => answer.id === id).length;
      socket.send(JSON.stringify({ id, op, body }));
      await until(() => answers.filter((answer) => answer.id === id).length > before);
      return answers.findLast((answer) => answer.id === id)!;
    },
    async close() {
      socket.close();
      await until(() => socket.readyState === WebSocket.CLOSED);
    },
  };
}
