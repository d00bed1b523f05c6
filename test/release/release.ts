// Makes a release: `npm run release -- 0.4.0`. It runs all tests, sets the version, records a database of it, opens the databases
// of earlier versions, commits and tags, and writes the package, its bill of materials and checksums to release/. It pushes and
// publishes nothing. With --checked it skips `npm test`, for a commit that CI has tested.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { billOfMaterials, type LockedPackage } from './bill-of-materials.ts';
import { checkIsNewer, notesOf, releasedChangelog } from './texts.ts';

const home = resolve(import.meta.dirname, '../..');
const folder = join(home, 'release');
/** Files that name the version of the package or of its image. */
const NAMES_VERSION = ['docs/deploy/Containerfile', 'docs/deploy/compose.yaml'];

const path = (name: string) => join(home, name);
const read = (name: string) => readFileSync(path(name), 'utf8');

/** Runs a program and shows what it prints. Throws if it fails. */
function run(command: string, ...args: string[]): void {
  const { status, error } = spawnSync(command, args, { cwd: home, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`, { cause: error });
}

/** What a program prints. Throws if it fails. */
function outputOf(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: home, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}`);
  return stdout;
}

function checkClone(version: string, current: string): void {
  checkIsNewer(version, current);
  const changed = outputOf('git', 'status', '--porcelain');
  if (changed !== '') throw new Error(`the clone has changes that are not committed:\n${changed}`);
  if (outputOf('git', 'tag', '--list', `v${version}`) !== '') throw new Error(`there is a tag v${version}`);
  // Before hours of tests, and not after them.
  releasedChangelog(read('CHANGELOG.md'), version, '');
}

function setVersion(version: string, current: string): void {
  const date = new Date().toISOString().slice(0, 10);
  run('npm', 'version', version, '--no-git-tag-version', '--ignore-scripts', '--loglevel=error');
  // The packages that it names are the same, so they need not be installed again.
  run(process.execPath, 'test/installed.mjs');
  writeFileSync(path('CHANGELOG.md'), releasedChangelog(read('CHANGELOG.md'), version, date));
  for (const name of NAMES_VERSION) writeFileSync(path(name), read(name).replaceAll(current, version));
}

/** The package as `npm pack` makes it, with what a reader needs to check it. */
function writeFiles(version: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  run('npm', 'pack', '--silent', '--pack-destination', folder);
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> };
  const bill = billOfMaterials(version, packages);
  writeFileSync(join(folder, `svc-${version}.cdx.json`), `${JSON.stringify(bill, null, 2)}\n`);
  writeFileSync(join(folder, 'NOTES.md'), `${notesOf(read('CHANGELOG.md'), version)}\n`);
  const sums = readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}`,
    );
  writeFileSync(join(folder, 'SHA256SUMS'), `${sums.join('\n')}\n`);
}

function release(version: string, checked: boolean): void {
  const { version: current } = JSON.parse(read('package.json')) as { version: string };
  checkClone(version, current);
  if (!checked) run('npm', 'test');
  setVersion(version, current);
  try {
    run(process.execPath, 'test/upgrade/record.ts');
    run(process.execPath, 'test/upgrade/upgrade.test.ts');
    run('git', 'add', '--all');
    run('git', 'commit', '--quiet', '--message', `Release ${version}`);
  } catch (error) {
    // The clone was clean, so everything that differs is of this attempt.
    run('git', 'reset', '--quiet', '--hard');
    run('git', 'clean', '--quiet', '--force', 'test/upgrade/recorded');
    throw error;
  }
  writeFiles(version);
  run('git', 'tag', '--annotate', `v${version}`, '--message', `Release ${version}`);
  process.stdout.write(
    `release/ has the package of ${version}; push the commit and the tag v${version} to publish it\n`,
  );
}

const [version, ...flags] = process.argv.slice(2);
if (version === undefined || flags.some((flag) => flag !== '--checked')) {
  process.stderr.write('usage: npm run release -- <version> [--checked]\n');
  process.exit(2);
}
try {
  release(version, flags.includes('--checked'));
} catch (error) {
  process.stderr.write(`release: ${(error as Error).message}\n`);
  process.exit(1);
}
