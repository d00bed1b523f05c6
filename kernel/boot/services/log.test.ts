import { spawnSync } from 'node:child_process';
import t from 'tap';

const PROGRAM = `
  import { createLog } from ${JSON.stringify(new URL('log.ts', import.meta.url).href)};
  createLog('info', {}).info(JSON.parse(process.argv[1]), 'a far end has spoken');
`;

t.test('a log line steers no terminal, and stays the JSON that it was', async (t) => {
  const said = { reason: 'a\u001b]0;title\u0007b \u009b2Jc \u007f \u202ed\u2066 – ü 😀 \\u009b' };
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM, JSON.stringify(said)], {
    encoding: 'utf8',
  });
  t.notMatch(stderr, /[^\P{Cc}\n]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
  t.match(stderr, /– ü 😀/);
  t.match(JSON.parse(stderr), said);
});
