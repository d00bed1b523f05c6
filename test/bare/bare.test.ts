import t from 'tap';
import { lacking } from '../kit/needs.ts';
import { isLong, onlyLong } from '../support/length.ts';
import { BareMachine, type Major, type User, whatLacks } from './bare-machine.ts';

/** Three times the whole gate, beside the rest of the long one. */
const BOUND_MS = 2 * 60 * 60_000;
const WHOLE_MS = 4 * BOUND_MS;
t.setTimeout(WHOLE_MS);

/** The two commands of the README. Older Nodes fetch the one that the project runs with by themselves. */
const RUNS: { major: Major; user: User; line: string }[] = [
  { major: 24, user: 'guest', line: 'npm ci && npm run demo && npm test' },
  { major: 22, user: 'root', line: 'npm run demo && npm test' },
  { major: 20, user: 'guest', line: 'npm run demo && npm test' },
];

const options = { timeout: WHOLE_MS, ...onlyLong, ...(isLong ? lacking('debootstrap', whatLacks()) : {}) };
t.test('a machine with a Node and nothing else', options, async (t) => {
  const machine = await BareMachine.make();
  t.teardown(() => machine.remove());
  for (const { major, user, line } of RUNS)
    await t.test(`${line}, with Node ${major}, as ${user}`, { timeout: BOUND_MS + 15 * 60_000 }, async (t) => {
      await machine.useNode(major);
      const folder = await machine.cloneFor(user);
      const { exit, output } = await machine.run(line, { user, folder, bound_ms: BOUND_MS });
      // Not as a comment of its own beginning: the gate that this belongs to has left nothing out.
      for (const said of output.slice(output.lastIndexOf('\nleft out: ')).split('\n')) t.comment(`there: ${said}`);
      t.equal(exit, 0, output.match(/^FAIL .*$/gm)?.join('\n') ?? output.slice(-2000));
      t.match(output, /nothing is left behind/, 'the demo');
      t.match(output, /\n[1-9]\d* passed, 0 failed\n$/);
      for (const name of ['cc', 'chromium', 'git', 'mariadbd', 'python3'])
        t.match(output, new RegExp(`^ {2}${name}\\b`, 'm'), `${name} is in the table`);
    });
});
