import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { adviseOnIdle, adviseOnRetries, adviseOnSlower, adviseOnWait } from './domain/advice.ts';

interface Topic {
  commands?: string[];
}

const topics = readFileSync(join(import.meta.dirname, '../../../cli/generated/topics.json'), 'utf8');
const commands = new Set((JSON.parse(topics) as Topic[]).flatMap((topic) => topic.commands ?? []));

const call = { workflow: "a b's.sh", kind: 'step', name: 'pay; rm', run_id: 'run_1' };
const wait = { ...call, count: 1, open: 0, total_ms: 1, longest_ms: 1 };
const adviceOf = (): string[] => [
  ...['agent', 'awaiting_lease', 'signal', 'ask', 'event', 'any', 'child', 'activity'].flatMap((kind) =>
    adviseOnWait({ ...wait, kind }),
  ),
  ...adviseOnRetries({ ...call, calls: 2, attempts: 4, lost_ms: 1 }),
  ...adviseOnSlower({ ...call, before_ms: 1, after_ms: 2, samples: 8 }),
  ...[null, undefined, 'evt_1'].flatMap((last) => adviseOnIdle('tell', { last, pattern: 'order.*' })),
];

t.test('every command in an advice exists', async (t) => {
  t.ok(commands.size > 50, `${commands.size} commands`);
  const named = adviceOf().map((text) => /\bsvc ([a-z-]+(?: [a-z-]+)?)/.exec(text)?.[1] ?? '');
  const isCommand = (words: string) => commands.has(words) || commands.has(words.split(' ')[0]!);
  t.same(
    named.filter((words) => !isCommand(words)),
    [],
  );
});

t.test('names are arguments, and no commands of a shell', async (t) => {
  t.ok(adviseOnWait({ ...wait, kind: 'event' }).includes("svc events ls --type 'pay; rm'"));
  t.ok(adviseOnRetries({ ...call, calls: 2, attempts: 4, lost_ms: 1 }).some((text) => text.includes("'a b'\\''s.sh'")));
});
