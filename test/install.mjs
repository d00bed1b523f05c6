// Plain JavaScript for whatever Node the machine has: installs what package-lock.json names when it is not there yet,
// then runs the program that is named with the project's own Node. (A shell would remember the Node it found first.)
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const lock = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');
const mark = 'node_modules/.svc-installed';
const node = 'node_modules/node/bin/node';
if (!existsSync(mark) || readFileSync(mark, 'utf8') !== lock || !existsSync(node)) {
  console.error('installing what package-lock.json names…');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) {
    console.error('npm ci failed; is the npm registry reachable?');
    process.exit(1);
  }
  writeFileSync(mark, lock);
}
const { status } = spawnSync(node, process.argv.slice(2), { stdio: 'inherit' });
process.exit(status ?? 1);
