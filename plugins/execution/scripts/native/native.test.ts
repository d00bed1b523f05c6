import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { nativePrograms } from './build.mjs';
import { Report } from './frames.ts';
import { fuzzSuite } from './testing/fuzz.testsuite.ts';
import { passSuite } from './testing/pass.testsuite.ts';
import { spawnerSuite } from './testing/spawner.testsuite.ts';
import { privateFolder } from './testing/test-agent.ts';
import { togetherSuite } from './testing/together.testsuite.ts';
import { compileSanitized, inShellClient, sanitizedClient } from './testing/variants.ts';
import { verbClientEdges } from './testing/verb-client-edges.testsuite.ts';
import { verbClientSuite } from './testing/verb-client.testsuite.ts';
import { verbClient } from './verb-client.ts';

const { why } = await nativePrograms();
const kinds = why ? [false] : [true, false];
const options = { verbs: ['step', 'sleep', 'file put'], cli: ['/bin/echo', 'CLI'] };
if (why) t.comment(`only the Node programs are tested: ${why}`);

for (const native of kinds) {
  const name = native ? 'native' : 'Node';
  t.test(`verb client, ${name}`, async (t) => {
    const folder = await verbClient(privateFolder(t), { ...options, native });
    t.test('runs commands', (t) => verbClientSuite(t, { folder, native }));
    t.test('at the edges', (t) => verbClientEdges(t, { folder, native }));
  });
  t.test(`spawner, ${name}`, (t) => spawnerSuite(t, native));
  t.test(`together, ${name}`, (t) => togetherSuite(t, native));
}

t.test('verb client, inside of bash', async (t) => {
  if (why) return t.comment('it takes a compiler');
  const folder = await inShellClient(privateFolder(t), options);
  t.test('runs commands', (t) => verbClientSuite(t, { folder, native: true, in_shell: true }));
  t.test('at the edges', (t) => verbClientEdges(t, { folder, native: true, in_shell: true }));
});

t.test('under the sanitizers', async (t) => {
  const folder = privateFolder(t);
  if (why || !compileSanitized(folder)) return t.comment('the compiler has no sanitizers');
  const client = await sanitizedClient(folder, options);
  t.test('verb client runs commands', (t) => verbClientSuite(t, { folder: client, native: true }));
  t.test('verb client at the edges', (t) => verbClientEdges(t, { folder: client, native: true }));
  t.test('spawner', (t) => spawnerSuite(t, true, join(folder, 'spawner')));
  t.test('replies', (t) => fuzzSuite(t, folder));
  t.test('passes of a bash that waits', (t) => passSuite(t, folder));
  const frames = execFileSync(join(folder, 'last-words')).toString().trim().split(' ').map(Number);
  t.same(frames, [Report.said, Report.output, Report.exit], 'what a process said comes before what it printed');
});
