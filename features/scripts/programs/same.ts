import { spawnSync } from 'node:child_process';

interface Outcome {
  text: string;
  code: number | null;
}

function svc(...args: string[]): Outcome {
  const { stdout, status } = spawnSync('svc', args, { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
  return { text: stdout.replace(/\n$/, ''), code: status };
}

const ran = 'echo ran >> {folder}/commands;';
console.log('a pass begins');
const built: string = svc('step', 'build', '--label', 'Build it', '--', 'sh', '-c', `${ran} echo built`).text;
for (const n of [1, 2] as const) svc('step', 'round', '--', 'sh', '-c', `${ran} echo 'round ${n} of ${built}'`);
const { code } = svc('step', 'fragile', '--', 'sh', '-c', `${ran} exit 7`);
svc('sleep', '50ms');
const approval = svc('wait-signal', 'approval').text;
svc('state', 'set', 'approval', approval);
svc('step', 'use', '--', 'printf', '%s after %s', approval, String(code));
svc('output', 'set', `built=${built}`, `code:=${code}`);
svc('annotate', '# Built');
