import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Test } from 'tap';
import { type Random, random } from './random.ts';

function bytes(pick: Random, most: number): Buffer {
  return Buffer.from(Array.from({ length: pick(most) }, () => pick(256)));
}

function text(pick: Random): string {
  return Array.from({ length: pick(12) }, () =>
    String.fromCodePoint(1 + pick([128, 0x800, 0xd7ff, 0x1f000][pick(4)]!)),
  ).join('');
}

interface Valid {
  exit: number;
  stdout: string;
  stderr: string;
  exec: string[];
  key: string;
  limit: number;
  more: unknown;
}

function valid(pick: Random): Valid {
  return {
    exit: pick(256),
    stdout: bytes(pick, 30).toString('base64'),
    stderr: text(pick),
    exec: Array.from({ length: 1 + pick(4) }, () => text(pick)),
    key: text(pick),
    limit: pick(100),
    more: [{ [text(pick)]: [pick(2) === 0, null, pick(1000) / 7, text(pick)] }],
  };
}

/** Some bytes changed, left out, doubled or cut off. */
function damaged(pick: Random, whole: Buffer): Buffer {
  const copy = Buffer.from(whole);
  const at = pick(copy.length);
  const kind = pick(5);
  if (kind === 0) copy[at] = pick(256);
  if (kind === 1) copy[at] = '{}[]",:\\u0e-.tfn'.charCodeAt(pick(16));
  if (kind === 2) return copy.subarray(0, at);
  if (kind === 3) return Buffer.concat([copy.subarray(0, at), copy.subarray(at + 1)]);
  if (kind === 4) return Buffer.concat([copy.subarray(0, at), copy.subarray(pick(at + 1))]);
  return copy;
}

function isJson(line: Buffer): boolean {
  try {
    JSON.parse(line.toString());
    return true;
  } catch {
    return false;
  }
}

/** Feeds the parser of replies; `reply-fuzz` in `folder` is compiled with sanitizers, which end it at any fault. */
export function fuzzSuite(t: Test, folder: string): void {
  const seed = 20_261_121;
  const pick = random(seed);
  const parse = (lines: Buffer[]): string[] => {
    const input = lines.flatMap((line) => {
      const head = Buffer.alloc(4);
      head.writeUInt32LE(line.length);
      return [head, line];
    });
    const ran = spawnSync(join(folder, 'reply-fuzz'), { input: Buffer.concat(input), maxBuffer: 1 << 28, env: {} });
    t.equal(ran.status, 0, `${ran.stderr}`);
    return ran.stdout.toString().split('\n').slice(0, -1);
  };
  const expected = (reply: Valid) =>
    [
      `${reply.exit}`,
      ...[reply.stdout, ...[reply.stderr, ...reply.exec].map((part) => Buffer.from(part).toString('base64'))].map(
        (part) => `${part}.`,
      ),
    ].join(' ');

  const replies = Array.from({ length: 3000 }, () => valid(pick));
  const wholes = replies.map((reply) => Buffer.from(JSON.stringify(reply, undefined, pick(3))));
  const read = parse(wholes);
  t.equal(
    read.filter((line, index) => line !== expected(replies[index]!)).length,
    0,
    'every reply is read as JSON.parse reads it',
  );

  const broken = [
    ...wholes.flatMap((whole) => [0, 1, 2, 3].map(() => damaged(pick, whole))),
    ...Array.from({ length: 5000 }, () => bytes(pick, 200)),
    Buffer.from('{"a":'.repeat(100_000)),
    Buffer.from('['.repeat(100_000)),
    Buffer.from(`{"x":${'['.repeat(100)}${']'.repeat(100)}}`),
    Buffer.from(`{"exit":${'9'.repeat(1000)}}`),
  ];
  const verdicts = parse(broken);
  t.equal(verdicts.length, broken.length, `seed ${seed}`);
  t.equal(
    verdicts.filter((line, index) => line !== '-' && !isJson(broken[index]!)).length,
    0,
    'what is not JSON is refused',
  );
  t.ok(verdicts.includes('-'));
  t.end();
}
