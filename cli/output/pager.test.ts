import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { needs } from '../../test/kit/needs.ts';
import { showInPager } from './pager.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const svc = path('../svc');
const terminal = path('../../features/support/terminal.py');

/** Calls svc on a terminal of 24 rows. */
function onTerminal(argv: readonly string[], pager: Readonly<Record<string, string>>) {
  const { SVC_PAGER: _own, PAGER: _other, LESS: _less, ...rest } = process.env;
  const env = { ...rest, TERM: 'xterm', ...pager };
  const { stdout, status } = spawnSync('python3', [terminal, svc, ...argv], { env, encoding: 'utf8' });
  return { shown: stdout.replaceAll('\r\n', '\n'), status };
}

t.test('long help is shown through a pager on a terminal', needs('python3'), (t) => {
  const marked = onTerminal(['help', 'all'], { PAGER: "sed 's/^/P /'" });
  t.match(marked.shown, /^P Run\n/m);
  t.equal(marked.status, 0);
  t.match(onTerminal(['help', 'all'], { SVC_PAGER: "sed 's/^/S /'", PAGER: 'false' }).shown, /^S Run\n/m);
  t.match(onTerminal(['help', 'all'], { PAGER: 'printf "less %s\\n" "$LESS"; cat' }).shown, /^less FRX\n/m);
  t.end();
});

t.test('the pager has no say in the exit code', needs('python3'), (t) => {
  t.equal(onTerminal(['help', 'all'], { PAGER: 'exit 3' }).status, 0);
  t.end();
});

t.test('help is printed without a pager that can show it', needs('python3'), (t) => {
  for (const pager of ['', 'cat', 'no-such-pager-anywhere'])
    t.match(onTerminal(['help', 'all'], { PAGER: pager }).shown, /^Run\n/m, pager);
  const short = onTerminal(['help'], { PAGER: "sed 's/^/P /'" }).shown;
  t.match(short, /^svc: durable/);
  t.end();
});

t.test('help for a program has no pager', (t) => {
  const { stdout, status } = spawnSync(svc, ['help', 'all'], {
    env: { ...process.env, PAGER: 'false' },
    encoding: 'utf8',
  });
  t.match(stdout, /^Run\n/m);
  t.equal(status, 0);
  t.end();
});

const NO_DESCRIPTORS = `
  import { closeSync, openSync } from 'node:fs';
  import { showInPager } from ${JSON.stringify(new URL('pager.ts', import.meta.url).href)};
  const opened = [];
  const printed = [];
  try { for (;;) opened.push(openSync('/dev/null')); } catch {}
  await showInPager('line\\n'.repeat(100), { stdout: { isTTY: true, rows: 24 }, env: process.env, print: (text) => printed.push(text) });
  opened.forEach((file) => closeSync(file));
  console.log('printed', printed.length);
`;

t.test('help is printed when the system has no room for another program', async (t) => {
  const args = ['-c', 'ulimit -n 100; exec "$0" --input-type=module -e "$1"', process.execPath, NO_DESCRIPTORS];
  const { stdout, stderr } = spawnSync('/bin/sh', args, { encoding: 'utf8', env: { ...process.env, PAGER: 'cat -' } });
  t.match(stdout, /^printed 1$/m, stderr);
});

const LONG = 'a line of the text\n'.repeat(100_000);

t.test('a pager that quits early ends the text, without an error', async (t) => {
  const listeners = process.listenerCount('SIGTERM');
  const printed: string[] = [];
  const options = { stdout: { isTTY: true, rows: 24 } as const, print: (text: string) => void printed.push(text) };
  await showInPager(LONG, { ...options, env: { ...process.env, PAGER: 'true' } });
  t.same(printed, [], 'the reader has seen enough');
  await showInPager(LONG, { ...options, env: { PATH: '/nonexistent' } });
  t.equal(printed.length, 1, 'there is no less');
  await showInPager('short\n', { ...options, env: { PAGER: 'false' } });
  t.equal(printed[1], 'short\n');
  t.equal(process.listenerCount('SIGTERM'), listeners);
});
