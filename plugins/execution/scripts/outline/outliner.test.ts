import t, { type Test } from 'tap';
import { needs } from '../../../../test/kit/needs.ts';
import { TreeReader } from '../lint/tree-reader.ts';
import { ScriptOutliner } from './outliner.ts';
import { shortItem, VERBS } from './testing/outlines.ts';

const outliner = new ScriptOutliner({
  trees: new TreeReader({ env: process.env, path: process.env.PATH! }),
  verbs: () => [...VERBS.values()],
});

type Case = readonly [source: string, found: readonly string[]];

async function all(t: Test, filename: string, cases: readonly Case[]): Promise<void> {
  for (const [source, found] of cases) {
    const [program, ...items] = await outliner.script({ filename, source, interpreter: undefined });
    t.same(program, { does: 'program' });
    t.same(items.map(shortItem), found, source);
  }
}

t.test('JavaScript and TypeScript', async (t) => {
  const named = (source: string) => `import { activity, emit, verb, waitAny, waitEvent } from 'svc/sdk';\n${source}`;
  const whole = (source: string) => `import * as svc from 'svc/sdk';\n${source}`;
  const cases: readonly Case[] = [
    [
      "import { emit as e, callNode as n, callGraph as g, idToken as i, lock as l } from 'svc/sdk';\nawait e('a'); n('http', {}); g('x'); i('y'); l('z');",
      ['2 emit a', '2 call {"node":"http","config":{}}', '2 call {"graph":"x"}', '2 id_token', '2 lease z'],
    ],
    [whole("await svc.emit('a'); svc.waitEvent('b', { untrusted: true });"), ['2 emit a', '2 wait b untrusted']],
    [whole("svc['emit']('a');"), ['2 ?']],
    [whole('const { emit } = svc;\nawait emit("a");'), ['2 ?']],
    [whole('const other = svc;\nawait other.emit("a");'), ['2 ?']],
    [whole('helper(svc);'), ['2 ?']],
    [whole('const e = svc.emit;\ne("a");'), ['2 ?']],
    [named('list.forEach((x: string) => emit(`a`)); emit(`a-${x}`);'), ['2 emit a', '2 ?']],
    [named('list.map(emit); const o = { emit }; emit.call(null, "a"); emit`a`;'), ['2 ?', '2 ?', '2 ?', '2 ?']],
    [
      named('class A { x = emit("a"); async run() { await emit("b"); } static { emit("c"); } }'),
      ['2 emit a', '2 emit b', '2 emit c'],
    ],
    [
      named('const t = `${await emit("a")}`; f(...emit("b")); x ||= emit("c"); y = z ? emit("d") : emit("e");'),
      ['2 emit a', '2 emit b', '2 emit c', '2 emit d', '2 emit e'],
    ],
    [
      named('waitAny({ events: ["a", { type: "b" }] }); waitAny(what); waitAny({ ...what });'),
      ['2 wait a', '2 wait b', '2 ?', '2 ?'],
    ],
    [named('waitEvent("a", options);'), ['2 wait a untrusted']],
    [
      named(
        'activity("x", ["make"], { requires: ["gpu"] }); activity("x", ["make"], options); activity("x", ["make"], { ...more });',
      ),
      ['2 agent gpu', '2 ?', '2 ?'],
    ],
    [named('verb(name, "a"); verb("emit", "a");'), ['2 ?', '2 ?']],
    ["const { emit } = await import('svc/sdk');\nemit('a');", ['2 emit a']],
    ["(await import('svc/sdk')).emit('a');", ['1 ?']],
    ["import('svc/sdk').then((svc) => svc.emit('a'));", ['1 ?']],
    ["const emit = require('svc/sdk').emit;\nemit('a');", ['1 ?']],
    ["export * from 'svc/sdk';\nexport { emit } from 'svc/sdk';", ['1 ?', '2 ?']],
    ['await import(name);\nrequire(name);', ['1 ?', '2 ?']],
    [
      "import { exec } from 'node:child_process';\nexec('svc emit a'); exec(`svc emit ${x}`); promisify(exec);",
      ['2 emit a', '2 ?', '2 ?'],
    ],
    [
      "import cp from 'node:child_process';\ncp.spawn('bash', ['-c', 'svc emit a']); cp['exec']('x'); cp.spawn('timeout', ['5', 'svc', 'emit', 'b']);",
      ['2 emit a', '2 ?', '2 emit b'],
    ],
    ["require('child_process').execSync('./x.sh');", ['1 ?']],
    ["new Function('return 1')();\n(0, eval)('x');", ['1 ?', '2 ?']],
    ["import { Worker } from 'node:worker_threads';\nnew Worker('./x.js');", ['2 ?']],
    ["console.log('hello');", []],
  ];
  await all(t, 'x.ts', cases);
});

t.test('Python', needs('python3'), async (t) => {
  const cases: readonly Case[] = [
    ["from svc_sdk import step as s, emit as e\ns('x', lambda: e('a'))", ['2 emit a']],
    ["import svc_sdk as svc\nsvc.emit(type='a')", ['2 emit a']],
    ["import svc_sdk.aio\nasync def f():\n  await svc_sdk.aio.emit('a')", ['3 emit a']],
    ["from svc_sdk import aio\naio.wait_event('a', untrusted=True)", ['2 wait a untrusted']],
    ["from svc_sdk import emit\nemit(f'a{x}')\nemit(*args)\nmap(emit, xs)", ['2 ?', '3 ?', '4 ?']],
    ["from svc_sdk import *\nemit('a')", ['1 ?']],
    ["import svc_sdk\ngetattr(svc_sdk, 'emit')('a')\nx = svc_sdk\nx.emit('b')", ['2 ?', '3 ?']],
    ["m = __import__('svc_sdk')\nm.emit('a')", ['1 ?']],
    ["import importlib\nimportlib.import_module('svc_sdk').emit('a')", ['2 ?']],
    [
      "import os\nos.system('svc emit a')\nos.popen('./x.sh')\nos.execvp('svc', ['svc', 'emit', 'c'])",
      ['2 emit a', '3 ?', '4 ?'],
    ],
    [
      "import subprocess\nsubprocess.run(['svc', 'emit', 'a'])\nsubprocess.run(args=['svc', 'emit', 'b'])\nsubprocess.getstatusoutput('svc emit c')",
      ['2 emit a', '3 ?', '4 emit c'],
    ],
    [
      "from svc_sdk import wait_any, lock\nwait_any(events=['a'])\nwait_any(signals=['x'], **more)\nwith lock('l'):\n  pass",
      ['2 wait a', '3 ?', '4 lease l'],
    ],
    [
      "from svc_sdk import activity\nactivity('x', ['make'], requires=['gpu'])\nactivity('x', ['make'], **more)",
      ['2 agent gpu', '3 ?'],
    ],
    ["print('hello')", []],
  ];
  await all(t, 'x.py', cases);
});
