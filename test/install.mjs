// Plain JavaScript for whatever Node the machine has: installs what package-lock.json names when it is not there yet,
// then runs the program that is named with the project's own Node. (A shell would remember the Node it found first.)
import { spawnSync } from 'node:child_process';
import { isInstalled, NODE } from './installed.mjs';

if (!isInstalled()) {
  console.error('installing what package-lock.json names…');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) {
    console.error('npm ci failed; is the npm registry reachable?');
    process.exit(1);
  }
}
const { status } = spawnSync(NODE, process.argv.slice(2), { stdio: 'inherit' });
process.exit(status ?? 1);
