import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { chooseInterpreter } from '../domain/interpreter.ts';
import { verbs as ownVerbs } from '../cli/verbs.ts';
import type { VerbHelp } from '../contract/verb.ts';
import { ScriptReview } from './review.ts';
import { TreeReader } from './tree-reader.ts';
import { needs } from '../../../../test/kit/needs.ts';

const known: readonly VerbHelp[] = ownVerbs;
const VERBS =
  'step sleep wait-signal wait-event emit lock activity activity-submit activity-collect activity-wait-all state spawn output annotate call artifact';
/** A python3 that is a shell script of a version manager takes longer to start than to read a text. */
const python = (
  spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout ?? ''
).trim();
const with_python = needs('python3');
const path = python === '' ? process.env.PATH! : `${dirname(python)}:${process.env.PATH}`;
const parts = {
  trees: new TreeReader({ env: process.env, path }),
  verbs: () =>
    VERBS.split(' ').map((verb) => ({ usage: '', summary: '', ...known.find((one) => one.verb === verb), verb })),
};
const review = new ScriptReview(parts);
const look = (filename: string, source: string, by = review) =>
  by.review({ filename, source, interpreter: chooseInterpreter(filename, undefined) });
const said = async (filename: string, source: string): Promise<string[]> => {
  const { problems, warnings, notes } = await look(filename, source);
  const found = [...problems, ...warnings].map(
    ({ line, column, code }) => `${line}:${column} ${code.replace('lint_', '')}`,
  );
  return [...found, ...notes.filter((note) => !note.includes('workflow_not_served'))];
};

type Case = readonly [what: string, source: string, found: readonly string[]];

async function all(t: Test, filename: string, head: string, cases: readonly Case[]): Promise<void> {
  // As many at once as are looked at.
  const checked = async ([what, source, found]: Case) => {
    const places = found.map((one) => one.replace(/^\d+/, (line) => String(Number(line) + head.split('\n').length)));
    t.same(await said(filename, `${head}\n${source}`), places, `${what}: ${source}`);
  };
  await inFours(cases, checked);
}

async function inFours<T>(list: readonly T[], each: (one: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < list.length; at += 4) await Promise.all(list.slice(at, at + 4).map(each));
}

const TYPESCRIPT_HEAD = "import { annotate, emit, exec, lock, output, sleep, state, step, waitSignal } from 'svc/sdk';";
const TYPESCRIPT: readonly Case[] = [
  ['a name', 'await step(`build-${Math.random()}`, () => 1);', ['1:12 varying_name']],
  [
    'by a variable',
    'const day: string = new Date().toISOString();\nawait step("d" + day, () => 1);',
    ['2:12 varying_name'],
  ],
  ['by a function', 'const id = () => crypto.randomUUID();\nawait emit(id());', ['2:12 varying_name']],
  [
    'by a hoisted one',
    'await lock(name());\nfunction name() { const n = Date.now(); return `a${n}`; }',
    ['1:12 varying_name'],
  ],
  ['what a step has recorded', 'const n = await step("n", () => Math.random());\nawait step(`b-${n}`, () => 1);', []],
  ['a variable that is set anew', 'let n = Date.now();\nn = 5;\nawait step(`b-${n}`, () => 1);', []],
  [
    'a parameter of the same name',
    'const n = Date.now();\nconst go = (n: string) => step(n, () => 1);\nawait go("a");',
    [],
  ],
  ['a time that is given', 'await step(`d-${new Date(0).getDay()}`, () => 1);', []],
  [
    'a label and a payload',
    'await step("a", () => 1, { label: `${Date.now()}` });\nawait emit("x", { payload: Math.random() });',
    [],
  ],
  ['a name of the script', 'const Math = { random: () => 4 };\nawait step(`a${Math.random()}`, () => 1);', []],
  ['a condition', 'if (Math.random() > 0.5) await sleep("1s");', ['1:5 varying_condition']],
  ['a loop', 'const end = Date.now() + 9;\nwhile (Date.now() < end) { await sleep(1); }', ['2:8 varying_condition']],
  [
    'a condition around a function',
    'const nap = () => sleep(1);\nif (process.pid % 2) await nap();',
    ['2:5 varying_condition'],
  ],
  ['and', 'Date.now() > 5 && (await sleep("1s"));', ['1:1 varying_condition']],
  ['what is no call', 'if (Math.random() > 0.5) console.log(1);\nawait sleep("1s");', []],
  ['what is not durable', 'if (Date.now() > 5) { await annotate("late"); await output.set({ late: true }); }', []],
  ['a condition that is recorded', 'if (await step("x", () => Math.random() > 1)) await sleep("1s");', []],
  ['a verb in a step', 'await step("a", async () => { await sleep("1s"); });', ['1:37 verb_in_step']],
  ['by a name', 'await step("a", work);\nasync function work() { await state.set("k", 1); }', ['2:31 verb_in_step']],
  [
    'by another function',
    'const nap = () => sleep(1);\nawait step("a", async () => { await nap(); });',
    ['2:37 verb_in_step'],
  ],
  ['in a command', 'await step("a", ["bash", "-c", "make; svc emit done"]);', ['1:32 verb_in_step']],
  ['in a command of svc', 'await exec("a", ["svc", "sleep", "1s"]);', ['1:18 verb_in_step']],
  ['a verb behind a step', 'await step("a", () => 1);\nawait sleep("1s");', []],
  ['a lost variable', 'let v;\nawait step("a", () => { v = 5; });\nconsole.log(v);', ['2:25 lost_variable']],
  [
    'that counts',
    'let n = 0;\nawait lock("g", () => { n += 1; });\nawait step(`a${n}`, () => 1);',
    ['2:25 lost_variable'],
  ],
  ['that is set behind it', 'let v;\nv = await step("a", () => { v = 5; return v; });\nconsole.log(v);', []],
  ['that nobody reads', 'let v;\nawait step("a", () => { v = 5; });', []],
  [
    'of the step alone',
    'await step("a", () => { let v; [1].forEach((x) => { v = x; }); return v; });\nconst v = 1; console.log(v);',
    [],
  ],
];

t.test('TypeScript and modules of JavaScript', async (t) => {
  const typed = ([, source]: Case) => source.includes(': string');
  await all(t, 'a.ts', TYPESCRIPT_HEAD, TYPESCRIPT.filter(typed));
  await all(
    t,
    'a.mjs',
    TYPESCRIPT_HEAD,
    TYPESCRIPT.filter((one) => !typed(one)),
  );
});

const PYTHON_WORKFLOW_HEAD = [
  'import asyncio, random, subprocess, time, requests',
  'import svc_sdk as svc',
  'from svc_sdk import aio, step, workflow',
].join('\n');
const PYTHON_WORKFLOWS: readonly Case[] = [
  ['a clock', '@workflow\ndef w():\n  return time.time()', ['3:10 outside_step']],
  ['randomness', '@svc.workflow("w", timeout="1h")\ndef w(input):\n  return random.random()', ['3:10 outside_step']],
  ['a request', '@aio.workflow\nasync def w():\n  requests.get("http://a")', ['3:3 outside_step']],
  ['a file', '@workflow\ndef w():\n  with open("a") as f: pass', ['3:8 outside_step']],
  ['a process', '@workflow\ndef w():\n  subprocess.run(["ls"])', ['3:3 outside_step']],
  ['a timer', '@workflow\nasync def w():\n  await asyncio.sleep(1)', ['3:9 outside_step']],
  ['in a step', '@workflow\ndef w():\n  return step("a", lambda: random.random())', []],
  ['in a step by a name', 'def load():\n  return time.time()\n@workflow\ndef w():\n  return step("a", load)', []],
  ['by a function', 'def load():\n  return time.time()\n@workflow\ndef w():\n  return load()', ['5:10 outside_step']],
  ['without a workflow', 'def load():\n  return open("a")\nload()', []],
  ['a decorator of something else', '@asyncio.coroutine\ndef w():\n  return time.time()', []],
];

t.test('what the functions of workflows in Python may not do outside of steps', (t) =>
  all(t, 'a.py', PYTHON_WORKFLOW_HEAD, PYTHON_WORKFLOWS),
);

t.test('a script that runs none of the workflows that it defines', async (t) => {
  const noted = async (filename: string, source: string) =>
    (await look(filename, source)).notes.some((note) => note.includes('workflow_not_served'));
  const js = `import { serve, step, workflow } from 'svc/sdk';\nconst w = workflow('w', async () => step('a', () => 1));\n`;
  const py = 'from svc_sdk import serve, step, workflow\n@workflow\ndef w():\n  return step("a", lambda: 1)\n';
  t.equal(await noted('a.ts', js), true);
  t.equal(await noted('a.py', py), true);
  t.equal(await noted('a.ts', `${js}await serve();`), false);
  t.equal(await noted('a.py', `${py}serve()`), false);
  t.equal(await noted('a.py', `${py}if __name__ == "__main__":\n  serve()`), false);
  t.equal(await noted('a.ts', `${js}await step('b', () => 2);`), false, 'it is a script that does something');
});

const WORKFLOW_HEAD = [
  "import { call, sleep, step, workflow } from 'svc/sdk';",
  "import { readFile } from 'node:fs/promises';",
  "import * as child from 'node:child_process';",
].join('\n');
const inWorkflow = (text: string): string => `workflow("w", { retry: 3 }, async (input) => { ${text} });`;
const AT = inWorkflow('').length - ' });'.length + 1;
const WORKFLOWS: readonly Case[] = [
  ['a clock', inWorkflow('const n = Date.now(); await step("a", () => n);'), [`1:${AT + 10} outside_step`]],
  ['a date', inWorkflow('return new Date();'), [`1:${AT + 7} outside_step`]],
  ['a date that is given', inWorkflow('return new Date(input.at);'), []],
  ['randomness', inWorkflow('return crypto.randomUUID();'), [`1:${AT + 7} outside_step`]],
  ['a request', inWorkflow('await fetch(input.url);'), [`1:${AT + 6} outside_step`]],
  ['a file', inWorkflow('await readFile("a");'), [`1:${AT + 6} outside_step`]],
  ['a process', inWorkflow('child.execFileSync("ls");'), [`1:${AT} outside_step`]],
  ['a timer', inWorkflow('await new Promise((go) => setTimeout(go, 9));'), [`1:${AT + 26} outside_step`]],
  ['in a step', inWorkflow('await step("a", async () => (await fetch(input.url)).text());'), []],
  ['in a step by a name', inWorkflow('const load = () => fetch(input.url); await step("a", load);'), []],
  ['in a list', inWorkflow('await Promise.all(input.map((one) => fetch(one)));'), [`1:${AT + 37} outside_step`]],
  ['a function that a step runs later', inWorkflow('const undo = []; undo.push(() => fetch("a"));'), []],
  ['by a function', `const load = () => fetch("a");\n${inWorkflow('await load();')}`, [`2:${AT + 6} outside_step`]],
  ['by a function with a step', `const load = () => step("a", () => fetch("a"));\n${inWorkflow('await load();')}`, []],
  ['by a function that calls itself', `function go() { return go(); }\n${inWorkflow('go();')}`, []],
  [
    'a body with a name',
    'workflow("w", body);\nasync function body() { return Math.random(); }',
    ['2:32 outside_step'],
  ],
  ['outside of workflows', 'const started = Date.now();\nawait fetch("a");', []],
  ['a name of the script', `const fetch = () => 1;\n${inWorkflow('fetch();')}`, []],
  ['a call', inWorkflow('return await call("other", input);'), []],
];

t.test('workflows that are functions', (t) => all(t, 'a.ts', WORKFLOW_HEAD, WORKFLOWS));

t.test('what a workflow is warned of', async (t) => {
  const { warnings } = await look(
    'a.ts',
    `${WORKFLOW_HEAD}\nconst load = () => fetch("a");\nworkflow("w", async () => [Date.now(), await load(), setTimeout(load, 1)]);`,
  );
  t.same(
    warnings.map(({ message }) => message),
    [
      '`Date.now()` returns a different value each time the workflow is replayed; call it inside a step',
      '`load` calls `fetch(…)`, which runs again each time the workflow is replayed; call it inside a step',
      '`setTimeout(…)` starts again each time the workflow is replayed; use `sleep`',
    ],
  );
});

t.test('JavaScript, with imports of every form and with processes', (t) =>
  all(t, 'a.js', '#!/usr/bin/env node', [
    ['require', "const svc = require('svc/sdk');\nsvc.step(`a${Math.random()}`, () => 1);", ['2:10 varying_name']],
    ['parts', "const { step: s } = require('svc/sdk');\ns(`a${Math.random()}`, () => 1);", ['2:3 varying_name']],
    [
      'await import',
      "const { sleep } = await import('svc/sdk');\nif (Date.now()) await sleep(1);",
      ['2:5 varying_condition'],
    ],
    [
      'all',
      "import * as svc from 'svc/sdk';\nimport { randomInt } from 'node:crypto';\nawait svc.waitSignal(`a${randomInt(5)}`);",
      ['3:22 varying_name'],
    ],
    [
      'other functions of these names',
      'const step = (name) => name; const emit = step;\nstep(Date.now()); if (Math.random()) emit(1);',
      [],
    ],
    [
      'a process',
      "import { execFileSync } from 'node:child_process';\nexecFileSync('svc', ['step', `a${Date.now()}`, '--', 'true']);",
      ['2:30 varying_name'],
    ],
    [
      'a process in a step',
      "import { execFileSync as x } from 'child_process';\nx('svc', ['step', 'a', '--', 'svc', 'sleep', '1s']);",
      ['2:30 verb_in_step'],
    ],
    [
      'a function around it',
      "import { execFileSync } from 'node:child_process';\nconst svc = (...words) => execFileSync('svc', words);\nif (process.pid) svc('sleep', '1s');\nsvc('step', `a${process.pid}`, '--', 'true');",
      ['3:5 varying_condition', '4:13 varying_name'],
    ],
    [
      'other programs',
      "import { execFileSync } from 'node:child_process';\nif (Date.now()) execFileSync('git', ['emit', `${Date.now()}`]);",
      [],
    ],
  ]),
);

const PYTHON_HEAD =
  'import datetime, random, subprocess, time, uuid\nimport svc_sdk as svc\nfrom svc_sdk import aio, sleep';
const PYTHON: readonly Case[] = [
  ['a name', 'svc.step(f"build-{random.randint(1, 9)}", lambda: 1)', ['1:10 varying_name']],
  ['named', 'svc.emit(type="a" + str(uuid.uuid4()))', ['1:15 varying_name']],
  ['by a variable', 'day = datetime.datetime.now().isoformat()\nsvc.step(f"d{day}", lambda: 1)', ['2:10 varying_name']],
  ['by a function', 'def name():\n    n = time.time()\n    return f"a{n}"\nsvc.lock(name())', ['4:10 varying_name']],
  ['what a step has recorded', 'n = svc.step("n", lambda: random.random())\nsvc.step(f"b-{n}", lambda: 1)', []],
  ['a seed', 'random.seed(7)\nsvc.step(f"a{random.random()}", lambda: 1)', []],
  ['a source with a seed', 'r = random.Random(7)\nsvc.step(f"a{r.random()}", lambda: 1)', []],
  ['a source without', 'r = random.Random()\nsvc.step(f"a{r.random()}", lambda: 1)', ['2:10 varying_name']],
  ['a time that is given', 'svc.step(time.strftime("%F", time.gmtime(0)), lambda: 1)', []],
  ['a parameter', 'n = time.time()\ndef go(n):\n    svc.step(n, lambda: 1)\ngo("a")', []],
  ['a label', 'svc.step("a", lambda: 1, label=str(time.time()))', []],
  ['characters of more than a byte', 'svc.emit("äöü" + str(time.time()))', ['1:10 varying_name']],
  ['a condition', 'if random.random() > 0.5:\n    sleep(1)', ['1:4 varying_condition']],
  ['the way else', 'if time.time() > 5:\n    pass\nelse:\n    sleep(1)', ['1:4 varying_condition']],
  [
    'a loop',
    'for n in random.sample(range(9), 2):\n    svc.step(f"a{n}", lambda: 1)',
    ['1:10 varying_condition', '2:14 varying_name'],
  ],
  ['a list', '[svc.step("a", lambda: 1) for n in [1, 2] if random.random() > 0.5]', ['1:36 varying_condition']],
  ['what is no call', 'if random.random() > 0.5:\n    print(1)\nsleep(1)', []],
  ['a verb in a step', 'svc.step("a", lambda: sleep(1))', ['1:23 verb_in_step']],
  ['by a name', 'def work():\n    svc.state.set("k", 1)\nsvc.step("a", work)', ['2:5 verb_in_step']],
  [
    'asyncio',
    'async def work():\n    await aio.sleep(1)\nasync def main():\n    await aio.step("a", work)',
    ['2:11 verb_in_step'],
  ],
  ['in a command', 'svc.step("a", ["svc", "sleep", "1s"])', ['1:16 verb_in_step']],
  ['the key of a step', 'svc.step("a", lambda: svc.idempotency_key())', []],
  [
    'a lost variable',
    'v = None\ndef work():\n    global v\n    v = 5\nsvc.step("a", work)\nprint(v)',
    ['4:5 lost_variable'],
  ],
  ['a variable of the function', 'v = None\ndef work():\n    v = 5\n    return v\nsvc.step("a", work)\nprint(v)', []],
  ['a process', 'subprocess.run(["svc", "step", f"a{time.time()}", "--", "true"], check=True)', ['1:32 varying_name']],
  [
    'a function around it',
    'def call(*words):\n    return subprocess.run(["svc", *words], check=True)\nif time.time() > 5:\n    call("sleep", "1s")',
    ['3:4 varying_condition'],
  ],
  ['names that nobody imported', 'def f(secrets):\n    svc.step(secrets.name, lambda: 1)', []],
];

t.test('Python', with_python, (t) => all(t, 'a.py', PYTHON_HEAD, PYTHON));

t.test('syntax errors, with their places', with_python, async (t) => {
  t.same(await said('a.py', 'x = 1\nif x\n  pass'), ['2:5 python_syntax']);
  t.same(await said('a.py', 'return 5'), ['1:1 python_syntax']);
  t.match(await look('a.py', '1 +'), { problems: [{ message: /invalid syntax \(Python 3\.\d+\)/ }] });
  t.same(await said('a.js', 'let a = 1;\nlet b = ;'), ['2:9 javascript_syntax']);
  t.same(await said('a.mjs', 'with (a) {}'), ['1:1 javascript_syntax'], 'a module is strict');
  t.same(await said('a.cjs', 'with (a) {}'), []);
  t.same(await said('a.cjs', 'await 1;'), ['1:7 javascript_syntax']);
  t.same(await said('a.js', 'await 1;\nlet b = ;'), ['2:9 javascript_syntax']);
  t.same(await said('a.ts', 'let a: string = "";\nlet b: number = ;'), ['2:17 javascript_syntax']);
  t.match(await look('a.ts', 'enum A { x }'), { problems: [{ line: 1, column: 1, message: /enum is not supported/ }] });
  t.same(await said('a.ts', 'type A = { a: 1 };\nconst a = { a: 1 } satisfies A;\nawait 1;'), []);
});

t.test('names that the SDK and svc do not have', with_python, async (t) => {
  const sdk = "import { step, waitSignl } from 'svc/sdk';\nawait step('a', () => waitSignl('b'));";
  t.same(await said('a.ts', sdk), ['1:1 unknown_name']);
  t.same(await said('b.mjs', "import * as svc from 'svc/sdk';\nawait svc.step('a', () => 1);\nawait svc.slep(1);"), [
    '3:7 unknown_name',
  ]);
  t.same(await said('a.py', 'from svc_sdk import step, wait_sgnal'), ['1:1 unknown_name']);
  t.same(await said('b.py', 'import svc_sdk\nfrom svc_sdk import aio\nsvc_sdk.slep(1)\nsvc_sdk.sleep(1)'), [
    '3:1 unknown_name',
  ]);
  t.same(
    await said(
      'c.py',
      'import subprocess\nsubprocess.run(["svc", "slep", "1s"])\nsubprocess.run(["svc", "runs", "ls"])',
    ),
    ['2:1 unknown_verb'],
  );
  const wrapped =
    'import subprocess\ndef svc(*words):\n    subprocess.run(["svc", *words])\nsvc("slep", "1s")\nsvc("sleep", "1s")';
  t.same(await said('d.py', wrapped), ['4:1 unknown_verb']);
});

t.test('arguments that a verb would refuse', with_python, async (t) => {
  const python = [
    'import subprocess',
    'from svc_sdk import sleep, wait_signal',
    'name, words = "a", ["x"]',
    'subprocess.run(["svc", "sleep", "5x"], check=True)',
    'subprocess.run(["svc", "sleep", name], check=True)',
    'subprocess.run(["svc", "wait-signal", *words], check=True)',
    'subprocess.check_output(["svc", "wait-signal", "event:a"])',
    'subprocess.run(["svc", "step", "a", "--retri", "3", "--", "make"])',
    'sleep("soon")',
    'sleep(f"{name}s")',
    'wait_signal("event:a")',
    'wait_signal("a", timeout="never")',
    'wait_signal("a", timeout=5)',
  ].join('\n');
  t.same(await said('a.py', python), [
    '4:33 verb_arguments',
    '7:48 verb_arguments',
    '8:37 verb_arguments',
    '9:7 verb_arguments',
    '11:13 verb_arguments',
    '12:26 verb_arguments',
  ]);
  const typescript = [
    "import { execFileSync } from 'node:child_process';",
    "import { sleep, waitSignal } from 'svc/sdk';",
    "execFileSync('svc', ['sleep', '5x']);",
    "execFileSync('svc', ['sleep', process.argv[2]]);",
    "execFileSync('svc', ['sleep', ...process.argv]);",
    "await sleep('5x');",
    'await sleep(500);',
    "await waitSignal('event:x');",
    "await waitSignal('x');",
  ].join('\n');
  t.same(await said('a.ts', typescript), ['3:31 verb_arguments', '6:13 verb_arguments', '8:18 verb_arguments']);
});

t.test('what cannot be looked at is said', async (t) => {
  const without = new ScriptReview({ ...parts, trees: new TreeReader({ env: process.env, path: '/nowhere' }) });
  t.match(await look('a.py', 'if x', without), { problems: [], notes: [/Python is not installed where svc runs/] });
  t.match(await look('a.go', 'package main'), { notes: [/does not support the language of go/] });
  t.match(await look('a.py', `#${'x'.repeat(300_000)}`), { notes: [/more than 262144 bytes/] });
  t.match(await look('a.sh', `#${'x'.repeat(300_000)}`), { notes: [/more than 262144 bytes/] });
  t.match(await look('a.js', 'step("a", f);'.repeat(20_000)), { notes: [/too long for the JavaScript parser/] });
  t.same(await look('a.sh', 'svc step "a$RANDOM" -- true'), await look('a', 'svc step "a$RANDOM" -- true'));
});

t.test('hostile texts end, and say nothing that is not so', async (t) => {
  const deep = (text: string) => text.repeat(100_000);
  for (const [filename, source] of [
    ['a.py', deep('(')],
    ['a.py', deep('-')],
    ['a.py', deep('x.')],
    ['a.py', `x = ${deep('1+')}1`],
    ['a.js', deep('(')],
    ['a.js', deep('-')],
    ['a.js', `x = ${deep('1+')}1`],
    ['a.js', deep('[')],
    ['a.ts', deep('<')],
    ['a.ts', deep('(')],
    ['a.js', 'if (Math.random()) '.repeat(10_000)],
  ] as const) {
    const { problems, warnings, notes } = await look(filename, source);
    t.equal(warnings.length, 0, `${filename} ${source.slice(0, 10)}`);
    t.equal(problems.length + notes.length, 1);
  }
});

t.test('functions that call each other a thousand deep', with_python, async (t) => {
  const chain = (one: (n: number) => string, length = 3000) => Array.from({ length }, (_, n) => one(n)).join('\n');
  // Python reads it within the time that it has, on a busy machine too.
  const python = `import svc_sdk as svc\n${chain((n) => `def f${n}():\n  f${n + 1}()`, 1200)}\nsvc.step("a", f0)\nf0()`;
  const script = `import { step } from 'svc/sdk';\n${chain((n) => `function f${n}() { f${n + 1}() }`)}\nstep('a', f0); f0();`;
  for (const [filename, source] of [
    ['a.py', python],
    ['a.js', script],
  ] as const)
    t.same(await look(filename, source), { problems: [], warnings: [], notes: [] }, filename);
});

t.test('the list of warnings ends, whatever there is to warn of', async (t) => {
  const before = process.cpuUsage();
  const { warnings } = await look('a.js', `import * as svc from 'svc/sdk';\n${'svc.stepp("a", f);\n'.repeat(4000)}`);
  t.equal(warnings.length, 50);
  const { user } = process.cpuUsage(before);
  t.ok(user < 500_000, `it took ${user} µs`);
});

t.test('examples have no warning', with_python, async (t) => {
  const home = join(import.meta.dirname, '../../../..');
  const read = (path: string) => readFileSync(join(home, path), 'utf8');
  const found: [string, string][] = [];
  for (const path of globSync('{features,plugins/execution/scripts/sdk,test}/**/*.{py,ts,js,mjs}', {
    cwd: home,
  }).sort())
    if (/svc\/sdk|svc_sdk|['"]svc['"]/.test(read(path)) && /^features\/(examples|pipelines)\//.test(path))
      found.push([path, read(path)]);
  for (const path of globSync('{README.md,docs/*.md,plugins/**/README.md}', { cwd: home }).sort())
    for (const [, language = '', text = ''] of read(path).matchAll(/^```(ts|js|python)\b[^\n]*\n(.*?)^```/gms))
      if (/svc/.test(text)) found.push([`${path}.${language === 'python' ? 'py' : language}`, text]);
  t.ok(found.length > 8, `${found.length} examples`);
  await inFours(found, async ([path, text]) => {
    const { problems, warnings, notes } = await look(path, text);
    // Many are for a worker.
    const unexpected = notes.filter((note) => !note.includes('workflow_not_served'));
    t.same([...problems, ...warnings, ...unexpected], [], path);
  });
});
