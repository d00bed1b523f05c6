import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Test } from 'tap';
import { type Random, random } from './random.ts';

type Variables = Record<string, string>;

interface Pass {
  cwd: string;
  given: Variables;
  wanted: Variables;
}

const NAMES = ['A', 'AB', 'a', '_', 'BASH_ENV', 'BASH_ENVY', 'PATH', 'x1'];
const VALUES = ['', '=', 'a', 'a=b', 'ä\nb', '-v', "'"];

function variables(pick: Random): Variables {
  const names = NAMES.filter(() => pick(2) === 0);
  return Object.fromEntries(names.map((name) => [name, VALUES[pick(VALUES.length)]!]));
}

const linesOf = (env: Variables) => Object.entries(env).map(([name, value]) => `${name}=${value}`);

const wire = ({ cwd, given, wanted }: Pass) =>
  Buffer.from([cwd, String(Object.keys(given).length), ...linesOf(given), ...linesOf(wanted)].join('\0'));

/** As the program prints what it makes of it. */
function expected({ cwd, given, wanted }: Pass): string {
  const own = (line: string) => !line.startsWith('BASH_ENV=');
  const set = linesOf(wanted).filter((line) => own(line) && !linesOf(given).includes(line));
  const unset = Object.keys(given).filter((name) => name !== 'BASH_ENV' && !(name in wanted));
  const print = (texts: string[]) => texts.map((one) => ` ${Buffer.from(one).toString('base64')}.`).join('');
  return `${print([cwd, ...set])},${print(unset)}`;
}

/** Some bytes changed, left out, doubled or cut off. */
function damaged(pick: Random, whole: Buffer): Buffer {
  const at = pick(whole.length);
  const copy = Buffer.from(whole);
  copy[at] = '\0=0129-'.charCodeAt(pick(7));
  const kinds = [copy, whole.subarray(0, at), Buffer.concat([whole.subarray(0, at), whole.subarray(pick(at + 1))])];
  return kinds[pick(3)]!;
}

/** Feeds what reads a pass for bash; `pass-fuzz` in `folder` is compiled with sanitizers, which end it at any fault. */
export function passSuite(t: Test, folder: string): void {
  const pick = random(20_261_124);
  const read = (texts: Buffer[]): string[] => {
    const input = texts.flatMap((text) => {
      const head = Buffer.alloc(4);
      head.writeUInt32LE(text.length);
      return [head, text];
    });
    const ran = spawnSync(join(folder, 'pass-fuzz'), { input: Buffer.concat(input), maxBuffer: 1 << 28, env: {} });
    t.equal(ran.status, 0, `${ran.stderr}`);
    return ran.stdout.toString().split('\n').slice(0, -1);
  };
  const passes = Array.from(
    { length: 2000 },
    (): Pass => ({
      cwd: `/${VALUES[pick(VALUES.length)]}`,
      given: variables(pick),
      wanted: variables(pick),
    }),
  );
  t.same(read(passes.map(wire)), passes.map(expected), 'what differs is set, what is missing is unset');
  const broken = passes.flatMap((pass) => [0, 1, 2].map(() => damaged(pick, wire(pass))));
  t.equal(read(broken).length, broken.length, 'whatever comes is read or refused');
  const refused = [
    '',
    '/',
    '/\0',
    '/\0x',
    '/\0-1',
    '/\x001',
    '/\x002\0A=a',
    '/\x000\0A',
    '/\x000\0=a',
    '/\x000\0',
    '/\x009999999999999999999999',
  ];
  t.same(new Set(read(refused.map((text) => Buffer.from(text)))), new Set(['-']));
  t.end();
}
