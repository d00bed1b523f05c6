// Plain JavaScript for whatever Node the machine has: installs what package-lock.json names, when it is not there yet.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';

const lock = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');
const mark = 'node_modules/.svc-installed';
if (existsSync(mark) && readFileSync(mark, 'utf8') === lock && existsSync('node_modules/node/bin/node'))
  process.exit(0);
console.error('installing what package-lock.json names…');
const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { stdio: ['ignore', 2, 2] });
if (status !== 0) {
  console.error('npm ci failed; is the npm registry reachable?');
  process.exit(1);
}
writeFileSync(mark, lock);
