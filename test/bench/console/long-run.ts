import { RunStore } from '../../../plugins/engine/runs/contract.ts';
import { StandInAgent, type TestServer } from '../../kit/index.ts';
import { mustBe } from '../figure.ts';

const LINES_OF_A_CHUNK = 1000;
const CHUNKS_AT_ONCE = 20;

const line = (n: number) => `${String(n).padStart(7, '0')} compiled src/part-${n % 977}/module.ts in ${n % 89} ms`;

/** A run that is over, with so many steps and lines of log, as an agent reports them. */
export async function makeLongRun(server: TestServer, steps: number, lines: number): Promise<string> {
  const store = server.use(RunStore);
  const submitted = await server.call('member', `POST ${server.scoped}/runs`, {
    source: 'svc step one',
    filename: 'long.sh',
  });
  mustBe('the status of a submit', submitted.status, 201);
  const agent = new StandInAgent(server.use);
  const claimed = (await agent.claim()).find(({ run_id }) => run_id === submitted.json.run_id);
  if (!claimed) throw new Error('the run was not claimed');
  const at = Date.now();
  for (let n = 0; n < steps; n += 1)
    await store.append(claimed, {
      ...{ position: n, kind: 'step', name: `step ${n}`, ordinal: 0, digest: '', exit_code: 0 },
      ...{ output: Buffer.from(`done ${n}\n`).toString('base64'), started_at: at + n },
    });
  for (let first = 0; first < lines; first += LINES_OF_A_CHUNK * CHUNKS_AT_ONCE) {
    const count = Math.min(CHUNKS_AT_ONCE, Math.ceil((lines - first) / LINES_OF_A_CHUNK));
    const chunks = Array.from({ length: count }, (_, chunk) => {
      const from = first + chunk * LINES_OF_A_CHUNK;
      const text = Array.from({ length: LINES_OF_A_CHUNK }, (_line, n) => `${line(from + n)}\n`).join('');
      return { n: from / LINES_OF_A_CHUNK, stream: 'stdout' as const, at, data: Buffer.from(text).toString('base64') };
    });
    await store.appendLogs(claimed, chunks);
  }
  await agent.end(claimed);
  return claimed.run_id;
}

export const stepRows = (steps: number) =>
  Array.from({ length: steps }, (_, n) => [n, 'step', `step ${n}`, 'succeeded', '0 ms']);

export const lineRows = (lines: number) => Array.from({ length: lines }, (_, n) => [line(n)]);
