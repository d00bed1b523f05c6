import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t, { type Test } from 'tap';

const svc = join(import.meta.dirname, 'svc');

/** Calls a command of a plugin whose code is this. */
function called(t: Test, code: string, ...args: string[]) {
  const plugin = { id: 'odd', version: '1.0.0', kernel: '*', requires: [], provides: [], contributes: [] };
  const table = `export const commands = [{ name: 'odd wait', summary: 'waits', anywhere: true, load: async () => ({ run: async () => { ${code} } }) }];\n`;
  const folder = t.testdir({
    odd: { 'plugin.json': JSON.stringify(plugin), 'plugin.mjs': 'export default {};\n', cli: { 'table.mjs': table } },
  });
  const env = { ...process.env, SVC_PLUGINS: join(folder, 'odd'), HOME: folder };
  return spawnSync(svc, ['odd', 'wait', ...args], { encoding: 'utf8', env });
}

t.test('a command that waits for what never comes has failed, and says so', (t) => {
  const ended = called(t, 'await new Promise(() => {});');
  t.equal(ended.status, 1, ended.stderr);
  t.match(ended.stderr, /^svc: `svc odd wait` stopped because it was waiting .* \(internal\)\n {2}→ /);
  const json = called(t, 'await new Promise(() => {});', '--json');
  t.equal(json.status, 1);
  t.match(JSON.parse(json.stderr), { error: { code: 'internal' } });
  t.end();
});

t.test('one that is done ends as it says', (t) => {
  t.match(called(t, 'await new Promise((done) => setTimeout(done, 5)); return 7;'), { status: 7, stderr: '' });
  t.match(called(t, ''), { status: 0, stderr: '' });
  t.match(called(t, "throw new Error('broken');"), { status: 1, stderr: /broken/ });
  t.end();
});
