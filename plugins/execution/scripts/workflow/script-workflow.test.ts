import t from 'tap';
import { nativePrograms } from '../native/build.mjs';
import type { Reading, WorkflowDocument } from '../../../engine/runs/contract.ts';
import { BashReader } from '../lint/bash-reader.ts';
import { createBashSyntax } from '../lint/bash-syntax.ts';
import { ScriptReview } from '../lint/review.ts';
import { TreeReader } from '../lint/tree-reader.ts';
import { ScriptOutliner } from '../outline/outliner.ts';
import { scriptWorkflow } from './script-workflow.ts';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageLog, systemClock } from '../../../../test/kit/index.ts';

const trees = new TreeReader({ env: process.env, path: process.env.PATH! });
const review = new ScriptReview({ trees, verbs: () => [] });
const reader = new BashReader({ clock: systemClock, log: messageLog().log, env: process.env });
t.teardown(() => reader.close());
const outliner = new ScriptOutliner({ trees, verbs: () => [] });
const make = (path: string) =>
  scriptWorkflow({ bash: createBashSyntax(path, reader), review, outlines: () => outliner });
const kind = make(process.env.PATH!);
const SCOPE = { org_id: 'org_1', org: 'acme', project_id: 'prj_1', project: 'main' };
/** Planning a script does not read the database. */
const on = {} as Reading;
const document = (source: string, more: Partial<WorkflowDocument> = {}): WorkflowDocument => ({
  source,
  filename: 'job.sh',
  interpreter: undefined,
  env: {},
  requires: [],
  ...more,
});
const codes = async (source: string, more?: Partial<WorkflowDocument>) =>
  (await kind.check(SCOPE, document(source, more))).map(({ code, line, column }) => `${code} ${line}:${column}`);

t.test('it takes what nobody else does, and plans one activity', async (t) => {
  t.same(kind.marks, { anything: true });
  const { activities } = await kind.plan(on, SCOPE, document('true', { interpreter: 'sh -e', requires: ['gpu'] }));
  t.same(activities, [
    {
      name: 'main',
      executor: 'script',
      spec: { filename: 'job.sh', source: 'true', interpreter: 'sh -e' },
      requires: ['gpu'],
    },
  ]);
});

t.test('faults that need no bash', async (t) => {
  t.same(await codes(' \n\t'), ['script_empty 1:1']);
  t.same(await codes('true\nab\0'), ['script_not_text 2:3']);
  t.same(await codes('#'.repeat(1024 * 1024)), []);
  t.same(await codes('#'.repeat(1024 * 1024 + 1)), ['script_too_large 1:1']);
  t.same(await codes('true', { interpreter: '  ' }), ['interpreter_invalid 1:1']);
  t.same(await codes('true', { interpreter: 'a\nb' }), ['interpreter_invalid 1:1']);
  t.same(await codes('true', { interpreter: 'x'.repeat(1025) }), ['interpreter_invalid 1:1']);
});

t.test('syntax errors of bash, and only of bash', async (t) => {
  t.same(await codes('true\nif true; then\n  echo )\nfi\n'), ['bash_syntax 3:1']);
  t.same(await codes('if true; then\n'), ['bash_syntax 2:1']);
  t.match(await kind.check(SCOPE, document('if (')), [{ line: 1, message: /unexpected end of file/ }]);
  t.same(await codes('if (', { filename: 'job.py' }), []);
  t.same(await codes('if (', { interpreter: 'sh -e' }), []);
  t.same(await codes('if (', { filename: 'job.py', interpreter: 'bash' }), ['bash_syntax 1:1']);
  t.same(await codes('if (', { filename: 'job.py', interpreter: 'bash' }), ['bash_syntax 1:1'], 'remembered');
});

t.test('what bash -n cannot know is no fault', async (t) => {
  t.same(await codes('shopt -s extglob\nls !(a|b)\n'), []);
  t.same(await codes('true\nexit 0\nsome ( text ) after it\n'), []);
  t.same(await codes('touch "$(mktemp -d)/x" && echo $UNSET'), [], 'nothing is run');
  const without = make('/nowhere');
  t.same(await without.check(SCOPE, document('if (')), [], 'without bash the agent decides');
});

t.test('many at once are bounded, none hangs', async (t) => {
  const checks = Array.from({ length: 40 }, (_, n) => kind.check(SCOPE, document(`echo ${n}; if (`)));
  const found = await Promise.all(checks);
  t.ok(found.some((problems) => problems.length > 0));
});

t.test('the folder in which documents are read', async (t) => {
  const native = (await nativePrograms()).why === undefined;
  // A longer path would not be used.
  const tmp = mkdtempSync(join(tmpdir(), 'svc-t-'));
  t.teardown(() => rmSync(tmp, { recursive: true, force: true }));
  const { log, lines } = messageLog();
  const parts = { clock: systemClock, log, env: { TMPDIR: tmp, SVC_AGENT_MEMORY: 'off' } };
  const read = (own: BashReader, text: string) => own.read('/bin/bash', ['-n'], text);
  const own = new BashReader(parts);
  t.match(await read(own, 'echo $('), { is_valid: false, messages: [/EOF/] });
  t.match(await read(own, 'cat <<E\nx\n'), { is_valid: true, messages: [/here-document/] });
  t.equal(await own.read('/nowhere/bash', ['-n'], 'true'), undefined);
  const [name, ...others] = readdirSync(tmp);
  t.same(others, []);
  // Without the native programs it keeps pipes for the next texts.
  const kept = readdirSync(join(tmp, name!)).filter((one) => native || !one.startsWith('.pipe-'));
  t.same(kept, ['owner'], 'no document stays');

  rmSync(join(tmp, name!), { recursive: true });
  t.equal(await read(own, 'true'), undefined, 'somebody has cleared it away: bash cannot be asked');
  t.same(lines, ['the folder for checking scripts cannot be used']);
  t.match(await read(own, 'true'), { is_valid: true }, 'and the next text has a new one');

  await own.close();
  await own.close();
  t.same(readdirSync(tmp), [], 'nothing stays when it is closed');
  t.equal(await read(own, 'true'), undefined);

  mkdirSync(join(tmp, 'svc-agent-killed'), { mode: 0o700 });
  writeFileSync(join(tmp, 'svc-agent-killed', 'owner'), '999999999 1');
  writeFileSync(join(tmp, 'svc-agent-killed', 't1'), 'echo left');
  const next = new BashReader(parts);
  await read(next, 'true');
  t.notOk(existsSync(join(tmp, 'svc-agent-killed')), 'what a killed server left goes with the next');
  await next.close();
});
