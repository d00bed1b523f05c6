import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { parseBundle, originalSource } from '../domain/bundled.ts';
import { resolveRoot } from '../contract/workflow-root.ts';
import { BundleFault, bundleScript } from './bundle-script.ts';
import { stabilizePaths } from './stable-paths.ts';
import { needsTranspiling, mayHaveImports } from './needs.ts';

/** Writes files and answers their folder. */
function filesOf(t: Test, files: Readonly<Record<string, string>>): string {
  const folder = t.testdir({});
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return folder;
}

/** `wide`: the folder that all files of the test lie in. */
const bundle = async (folder: string, name: string, source: string, wide?: string) =>
  bundleScript({
    path: join(folder, name),
    source,
    root: await resolveRoot(join(folder, name), { chosen: wide, env: {} }),
  });

async function bundled(t: Test, name: string, source: string, others: Readonly<Record<string, string>> = {}) {
  const folder = filesOf(t, { ...others, [name]: source });
  return await bundle(folder, name, source, join(folder, '..'));
}

/** Runs a bundle as an agent does, in a folder that has nothing else. */
function run(t: Test, name: string, text: string) {
  const folder = t.testdir({});
  const file = join(folder, `${name}${parseBundle(text)?.ending ?? ''}`);
  writeFileSync(file, text);
  return spawnSync(process.execPath, ['--enable-source-maps', file], { encoding: 'utf8', cwd: '/' });
}

const fault = async (work: Promise<string>): Promise<BundleFault> => {
  const error: unknown = await work.then(
    () => new Error('it was bundled'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof BundleFault) return error;
  throw error;
};

t.test('a script that needs nothing else is submitted byte for byte', async (t) => {
  const alone: readonly (readonly [name: string, source: string])[] = [
    ['a.ts', "import { step } from 'svc/sdk';\nimport fs, { readFileSync } from 'node:fs';\nconst n: number = 1;\n"],
    ['a.mts', "import * as fs from 'fs';\nexport const a = await import('node:path');\n"],
    ['a.cjs', "const { join } = require('path');\nconst sdk = require('svc/sdk');\n"],
    [
      'a.js',
      "// import x from './x.js'\nconst text = `import y from './y.js'`;\nconsole.log(import.meta.url, text);\n",
    ],
    [
      'a.ts',
      "import type { Order } from './order.ts';\nclass A { constructor(order: Order) { console.log(order); } }\n",
    ],
    ['a.mjs', "import { x } from '/opt/there/x.mjs';\n"],
    ['a.ts', 'const broken: = 1;\n'],
    ['a.ts', 'const text = `\n@home\n`;\n'],
    ['a.js', 'export const more = 1;\n'.repeat(20_000)],
    ['a.py', "import x\nfrom './y' import z\n"],
    ['a.sh', "import './y'\n"],
  ];
  for (const [name, source] of alone) t.equal(await bundled(t, name, source), source, `${name} ${source}`);
});

t.test('files and packages become one file that runs anywhere', async (t) => {
  const text = await bundled(
    t,
    'job.ts',
    [
      '#!/usr/bin/env node',
      "import { total } from './lib/prices.ts';",
      "import { tax } from '../shared/tax.js';",
      "import old from 'old';",
      "import data from './data.json' with { type: 'json' };",
      'enum Colour { red, blue }',
      'class Named { constructor(readonly name: string) {} }',
      "const { default: late } = await import('./lib/late.ts');",
      'console.log(total([1, 2]), tax, old.place, old.os, data.n, Colour.blue, new Named("x").name, late);',
      '',
    ].join('\n'),
    {
      'lib/prices.ts': 'export const total = (list: number[]): number => list.reduce((a, b) => a + b, 0);\n',
      'lib/late.ts': "export default 'late';\n",
      '../shared/tax.js': 'export const tax = 0.5;\n',
      'data.json': '{"n": 7}',
      'node_modules/old/package.json': '{"name": "old", "main": "main.js"}',
      'node_modules/old/main.js':
        "const os = require('os'); exports.os = typeof os.cpus; exports.place = typeof __dirname + typeof __filename;\n",
    },
  );
  t.match(text, /^#!\/usr\/bin\/env node\n\/\/ svc-bundle esm job\.ts\n/);
  const { stdout, stderr } = run(t, 'job.ts', text);
  t.equal(stdout, '3 0.5 stringstring function 7 1 x late\n', stderr);
});

t.test('a program of CommonJS stays one', async (t) => {
  const text = await bundled(t, 'job.js', "const { a } = require('./a');\nconsole.log(a, require.main === module);\n", {
    'a.js': 'exports.a = 5;\n',
    // The one of this clone says that all are modules.
    'package.json': '{}',
  });
  t.equal(parseBundle(text)?.ending, '.cjs');
  t.equal(run(t, 'job.js', text).stdout, '5 true\n');
});

t.test('the same files make the same bundle, wherever they lie', async (t) => {
  const source = "import { a } from './lib/a.ts';\nimport p from 'p';\nconsole.log(a, p);\n";
  const files = {
    'job.ts': source,
    'lib/a.ts': 'export const a: number = 1;\n',
    'node_modules/p/package.json': '{"name": "p", "main": "main.js"}',
    'node_modules/p/main.js': "module.exports = require('./more');\n",
    'node_modules/p/more.js': "module.exports = 'p';\n",
  };
  const one = filesOf(t, files);
  const other = join(one, 'deep', 'er');
  mkdirSync(other, { recursive: true });
  cpSync(join(one, 'lib'), join(other, 'lib'), { recursive: true });
  // As some package managers do: a link to a store elsewhere.
  cpSync(join(one, 'node_modules'), join(one, 'store', 'node_modules'), { recursive: true });
  symlinkSync(join(one, 'store', 'node_modules'), join(other, 'node_modules'));
  writeFileSync(join(other, 'job.ts'), source);
  const link = join(one, 'link');
  symlinkSync(other, link);
  const text = await bundle(one, 'job.ts', source);
  t.equal(await bundle(other, 'job.ts', source, one), text);
  t.equal(await bundle(link, 'job.ts', source, one), text);
  const map = Buffer.from(text.split('base64,').at(-1)!, 'base64').toString();
  t.notOk(text.includes(one) || map.includes(one), 'no path of this machine');
  t.same(JSON.parse(map).sources, ['node_modules/p/more.js', 'node_modules/p/main.js', 'lib/a.ts', 'job.ts']);
});

t.test('what would be too large is written shorter, and names no place either', async (t) => {
  const deep = `${'if (n) {'.repeat(20)}${'n += 1;'.repeat(20_000)}${'}'.repeat(20)}`;
  const source = "import n from 'deep';\nconsole.log(n);\n";
  const folder = filesOf(t, {
    'job.mjs': source,
    'here/node_modules/deep/package.json': '{"name": "deep", "main": "main.js"}',
    'here/node_modules/deep/main.js': `let n = 1;\n${deep}\nmodule.exports = n;\n`,
  });
  symlinkSync(join(folder, 'here', 'node_modules'), join(folder, 'node_modules'));
  const text = await bundle(folder, 'job.mjs', source);
  t.ok(text.length < 1024 * 1024);
  t.notOk(/\n {8}/.test(text), 'without blanks');
  t.notOk(text.includes('here/node_modules'));
  t.equal(run(t, 'job.mjs', text).stdout, '20001\n');
});

t.test('errors name the line that the author wrote, in every file', async (t) => {
  const source = "\n\nimport { fail } from './lib/fail.ts';\n\nfail('now');\n";
  const text = await bundled(t, 'job.ts', source, {
    'lib/fail.ts':
      'interface A { a: string }\n\nexport function fail(text: string): never {\n  throw new Error(text);\n}\n',
  });
  const { stderr } = run(t, 'job.ts', text);
  t.match(stderr, /at fail \(.*\/lib\/fail\.ts:4:9\)/);
  t.match(stderr, /at .*\/job\.ts:5:1/);
  t.equal(originalSource(text), source, 'a violation of replay shows its lines');
  t.equal(originalSource('echo a\n'), 'echo a\n');
  t.equal(originalSource('// svc-bundle esm a.ts\nfoo();\n'), '// svc-bundle esm a.ts\nfoo();\n');
});

t.test('what cannot become one file is refused with its place', async (t) => {
  const refusals: readonly (readonly [source: string, message: RegExp, next: RegExp])[] = [
    ["import a from './none.ts';\na();\n", /^job\.ts:1:15: Could not resolve "\.\/none\.ts"/, /relative to the file/],
    ["\nimport a from 'nowhere';\na();\n", /^job\.ts:2:15: Could not resolve "nowhere"/, /npm install/],
    ["import a from './bad.ts';\na();\n", /^bad\.ts:2:\d+: /, /correct the line/],
    ["import a from './x.node';\na();\n", /^job\.ts:1:15: \.\/x\.node is a native addon/, /installed on the agent/],
    ["import a from 'built';\na();\n", /^the package built is a native addon/, /installed on the agent/],
    [
      "import a from 'huge';\nconsole.log(a);\n",
      /job\.ts is \d+ bytes long, .* 1048576 \(most: huge 1\d\d\d KiB/,
      /import less/,
    ],
  ];
  for (const [source, message, next] of refusals) {
    const found = await fault(
      bundled(t, 'job.ts', source, {
        'bad.ts': 'export default 1;\nlet = = 2;\n',
        'node_modules/built/package.json': '{"name": "built", "main": "main.js"}',
        'node_modules/built/main.js': 'module.exports = process;\n',
        'node_modules/built/binding.gyp': '{}',
        'node_modules/huge/package.json': '{"name": "huge", "main": "main.js"}',
        'node_modules/huge/main.js': `module.exports = '${'x'.repeat(1_200_000)}';\n`,
      }),
    );
    t.match(found.message, message);
    t.match(found.next, next, source);
  }
});

t.test('a package above the folder of the workflow is taken without what svc and git keep in it', async (t) => {
  const folder = filesOf(t, {
    'node_modules/pkg/index.js': "module.exports = 'fine';\n",
    'node_modules/pkg/.svc/profile.json': '{"token":"canary"}',
    'node_modules/pkg/.git/config': 'canary',
    'node_modules/sly/package.json': '{"name": "sly", "main": ".git/hook.js"}',
    'node_modules/sly/.git/hook.js': "module.exports = 'canary';\n",
    'app/package.json': '{"imports": {"#key": "./.svc/profile.json"}}',
    'app/.svc/profile.json': '{"token":"canary"}',
    'app/job.mjs': '',
  });
  const own = (source: string) => bundle(join(folder, 'app'), 'job.mjs', source);
  t.match(await own("import found from 'pkg';\nconsole.log(found);\n"), /fine/);
  for (const [name, attributes, keeper] of [
    ['pkg/.svc/profile.json', '', 'svc'],
    ['pkg/.git/config', " with { type: 'text' }", 'git'],
    ['sly', '', 'git'],
    ['#key', '', 'svc'],
  ] as const) {
    const refused = await fault(own(`import found from '${name}'${attributes};\nconsole.log(found);\n`));
    t.match(
      refused.message,
      new RegExp(`^job\\.mjs:1:\\d+: .* is in a folder \\.${keeper}, where ${keeper} keeps`),
      name,
    );
    t.notMatch(refused.message, /canary/);
  }
});

t.test('a pattern takes no keys and logins along, and a name that leads to them is refused', async (t) => {
  const files = { 'data/eu.json': '{"rate":3}', '.svc/profile.json': '{"token":"canary"}' };
  const byPattern =
    'const { default: one } = await import(`./${process.argv[2] ?? "data/eu"}.json`);\nconsole.log(one.rate);\n';
  const text = await bundled(t, 'a.mjs', byPattern, files);
  t.notMatch(text, 'canary');
  t.equal(run(t, 'a.mjs', text).stdout, '3\n');
  for (const name of ['./.svc/profile.json', './.svc/profile']) {
    const refused = await fault(bundled(t, 'b.ts', `import one from '${name}';\nconsole.log(one);\n`, files));
    t.match(refused.message, /is in a folder \.svc, where svc keeps keys and logins/, name);
  }
});

t.test('an error quotes no text of a file that the settings of the compiler name elsewhere', async (t) => {
  const names = {
    '../keys/token': /keys\/token is outside/,
    './.svc/master.key': /in a folder \.svc/,
    './own.json': /Expected/,
  };
  for (const [name, message] of Object.entries(names)) {
    const folder = filesOf(t, {
      'keys/token': 'canary',
      'app/.svc/master.key': 'canary',
      'app/own.json': '{"compilerOptions" 1}',
      'app/job.ts': '',
      'app/tsconfig.json': JSON.stringify({ extends: name }),
      'app/other.ts': 'export const one: number = 1;\n',
    });
    const source = "import { one } from './other.ts';\nconsole.log(one);\n";
    const refused = await fault(bundle(join(folder, 'app'), 'job.ts', source));
    t.match(refused.message, message, name);
    t.notMatch(refused.message, /canary/, name);
    t.equal(refused.code, name === './own.json' ? undefined : 'include_outside');
  }
});

t.test('packages may be left to the machine that runs the script', async (t) => {
  const source = "const a = require('there');\nconst b = require('./b.js');\nconsole.log(a, b);\n";
  const folder = filesOf(t, {
    'job.cjs': source,
    'b.js': 'module.exports = 2;\n',
    'm/there/index.js': 'module.exports = 1;\n',
    'm/there/package.json': '{}',
    'package.json': '{}',
  });
  const text = await bundleScript({ path: join(folder, 'job.cjs'), source, packages_elsewhere: true });
  const file = join(folder, 'out.cjs');
  writeFileSync(file, text);
  const env = { ...process.env, NODE_PATH: join(folder, 'm') };
  t.equal(execFileSync(process.execPath, [file], { env, encoding: 'utf8' }), '1 2\n');
});

t.test('an import of types goes away, as a compiler takes it away', async (t) => {
  const text = await bundled(
    t,
    'job.ts',
    "import { Order } from './order';\nconst o: Order = { id: 1 };\nconsole.log(o.id);\n",
    {
      'order.ts': 'export interface Order { id: number }\n',
    },
  );
  const { stdout, stderr } = run(t, 'job.ts', text);
  t.equal(stdout, '1\n', stderr);
});

t.test('any name of a file is a name, and its lines are found', async (t) => {
  const source = "import { a } from './a.ts';\nconsole.log(a);\n";
  for (const name of [
    'my order.ts',
    'größe.ts',
    'a#b?c%20.ts',
    'jo*b.ts',
    'n\nthrow 1;.ts',
    'u\u2028throw 1;.ts',
    '-f.ts',
  ]) {
    const text = await bundled(t, name, source, { 'a.ts': 'export const a = 5;\n' });
    t.equal(originalSource(text), source);
    const { stdout, stderr } = run(t, 'job', text);
    t.equal(stdout, '5\n', stderr);
  }
});

t.test('what Node runs as CommonJS is none of the stricter kind', async (t) => {
  const others = {
    'a.js': 'exports.a = 5;\n',
    'late.mjs': 'export default await Promise.resolve(6);\n',
    'place.mjs': 'export default import.meta.url.startsWith("file:///") && import.meta.dirname.startsWith("/");\n',
    'package.json': '{}',
  };
  const found: readonly (readonly [source: string, said: string])[] = [
    ["const { a } = require('./a');\ntotal = a;\nconsole.log(total, this === module.exports);\n", '5 true\n'],
    ["total = require('./a').a;\nconsole.log(total);\n", '5\n'],
    ["import('./late.mjs').then((late) => console.log(late.default));\n", '6\n'],
    ["console.log(require('./place.mjs').default);\n", 'true\n'],
  ];
  for (const [source, said] of found) {
    const { stdout, stderr } = run(t, 'job.js', await bundled(t, 'job.js', source, others));
    t.equal(stdout, said, stderr);
  }
});

t.test('a large text of any kind is looked at in a moment', async (t) => {
  const much = (text: string) => text.repeat(Math.ceil(1_000_000 / text.length));
  const before = process.threadCpuUsage();
  for (const text of ['import ', 'export ', 'import\n', 'import . ', 'import{']) mayHaveImports(much(text));
  needsTranspiling('a.ts', `class A { constructor() {} }${much('\n')}`);
  const map = Buffer.from('{"version":3,"sources":[],"mappings":"","names":[]}').toString('base64');
  const rest = `//# sourceMappingURL=data:application/json;base64,${map}`;
  stabilizePaths(
    { shebang: '', inserted: '', output: `${much('\n')}${rest}` },
    { inputs: { '../node_modules/a/b.js': { bytes: 1, imports: [] } }, outputs: {} },
  );
  // Other work on the machine counts for nothing.
  t.ok(process.threadCpuUsage(before).user / 1000 < 10_000, 'it was minutes');
});

t.test('a map brings no text of files that nothing imports', async (t) => {
  const own = "import { x } from './x.js';\nconsole.log(x);\n";
  const map = (more: object) => JSON.stringify({ version: 3, mappings: ';AAAA', names: [], ...more });
  const inside = (sources: string[]) =>
    `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map({ sources })).toString('base64')}\n`;
  const folder = filesOf(t, {
    'out/key': 'PRIVATE',
    'out/a.map': map({ sources: ['y'], sourcesContent: ['PRIVATE'] }),
    'in/a.js': own,
    'in/x.js': 'export const x = 1;\n',
    'in/b.js': `\nexport const x = 1;\n${inside(['../out/key', '..%2fout%2fkey'])}`,
  });
  const ways: Record<string, string> = {
    'a map of the script in a file': `${own}//# sourceMappingURL=../out/a.map\n`,
    'a map in the script': own + inside(['../out/key']),
    'with an absolute path': own + inside([join(folder, 'out/key')]),
    'as an address': own + inside([`file://${join(folder, 'out/key')}`]),
    'a map in what it imports': own.replace('x.js', 'b.js'),
  };
  for (const [way, source] of Object.entries(ways)) {
    const text = await bundle(join(folder, 'in'), 'a.js', source);
    const [, kept = ''] = /base64,(\S+)\n$/.exec(text) ?? [];
    const said = Buffer.from(kept, 'base64').toString();
    t.match(text, /console.log/, `${way}: it is bundled`);
    t.notMatch(text + said, /PRIVATE/, way);
  }
});

t.test('a bundle that somebody has made is taken as it is', async (t) => {
  const made = (map: string) =>
    `// svc-bundle esm ../%zz/a.ts\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}\n`;
  const maps = [
    '',
    'null',
    '{',
    '5',
    '{"sources":{}}',
    '{"sources":[null],"sourcesContent":5}',
    '{"sources":["../%zz/a.ts"]}',
  ];
  for (const map of maps) t.equal(originalSource(made(map)), made(map), map);
});

t.test('a bundler whose process was ended is started again', async (t) => {
  const source = "import { a } from './a.ts';\nconsole.log(a);\n";
  const folder = filesOf(t, { 'job.ts': source, 'a.ts': 'export const a = 5;\n' });
  const text = await bundle(folder, 'job.ts', source);
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ');
  const own = children.filter((id) => readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('--service='));
  t.equal(own.length, 1);
  process.kill(Number(own[0]), 'SIGKILL');
  const many = await Promise.all(Array.from({ length: 5 }, () => bundle(folder, 'job.ts', source)));
  t.same(many, Array(5).fill(text));
});
