import { Readable } from 'node:stream';
import t from 'tap';
import type { Client } from '../client/client.ts';
import { CliError } from '../errors.ts';
import { reportRuns } from './dev-runs.ts';

const run = { run_id: 'run_1', workflow: 'a.sh', status: 'running', updated_at: '2026-01-01T00:00:00Z' };
const frame = (data: string) => `event: run\ndata: ${data}\n\n`;

/** A client whose server answers with these, one after the other. */
function clientOf(...answers: (string | Error)[]) {
  const respond = async () => {
    const answer = answers.shift();
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error('nobody asks again');
    return Readable.from([answer], { objectMode: false });
  };
  return { scoped: (path: string) => path, open: respond } as unknown as Client;
}

t.test('each change of a run is told once', async (t) => {
  const lines: string[] = [];
  const stopped = new AbortController();
  const write = (line: string) => {
    lines.push(line);
    if (lines.length === 2) stopped.abort();
  };
  const over = JSON.stringify({ ...run, status: 'failed', error: { code: 'exit', message: '' } });
  await reportRuns(
    clientOf([JSON.stringify(run), JSON.stringify(run), over].map(frame).join('')),
    'plain',
    write,
    stopped.signal,
  );
  t.equal(lines.length, 2);
  t.match(lines[0], /^\d\d:\d\d:\d\d {2}run_1 {2}a\.sh {2}running$/);
  t.match(lines[1], /failed: exit$/);
});

t.test('a server that is away is asked again; what nobody expected ends the lines alone', async (t) => {
  for (const form of ['plain', 'json'] as const) {
    const lines: string[] = [];
    const client = clientOf(new CliError(3, 'unreachable', 'away', ''), frame('{'));
    await reportRuns(client, form, (line) => lines.push(line), new AbortController().signal);
    t.equal(lines.length, 1);
    t.match(
      lines[0],
      form === 'json' ? /^\{"error":\{"message":"svc dev no longer reports runs/ : /no longer reports runs \(.*JSON/,
    );
  }
});
