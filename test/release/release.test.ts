import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { clone } from '../../features/support/target.ts';
import { fileNeeds } from '../kit/needs.ts';
import { onlyLong } from '../support/length.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import { checkIsNewer, notesOf, releasedChangelog } from './texts.ts';

t.setTimeout(900_000);
fileNeeds(t, 'git');

t.test('a version comes after the one before', async (t) => {
  for (const next of ['0.3.1', '0.4.0', '1.0.0', '0.10.0']) checkIsNewer(next, '0.3.0');
  for (const next of ['0.3.0', '0.2.9', '0.0.10', '0.3', 'v0.4.0', '0.4.0-rc.1', ''])
    t.throws(() => checkIsNewer(next, '0.3.0'), /does not come after|is no version/, next);
});

t.test('the changelog gets a heading, and its text is the notes of the release', async (t) => {
  const text = '# Changes\n\n## Unreleased\n\n- One\n\n### More\n\n- Two\n\n## 0.2.0\n\n- Old\n';
  const released = releasedChangelog(text, '0.3.0', '2026-12-01');
  t.equal(
    released,
    '# Changes\n\n## Unreleased\n\n## 0.3.0 (2026-12-01)\n\n- One\n\n### More\n\n- Two\n\n## 0.2.0\n\n- Old\n',
  );
  t.equal(notesOf(released, '0.3.0'), '- One\n\n### More\n\n- Two');
  t.equal(notesOf(released, '0.2.0'), '- Old');
  t.throws(() => releasedChangelog(released, '0.4.0', '2026-12-02'), /says nothing/);
  t.throws(() => notesOf(released, '0.5.0'), /has no "## 0\.5\.0"/);
});

/** A clone of what is here, in which a release may commit and tag. */
function copy(t: Test): { folder: string; git: (...args: string[]) => string; release: (...args: string[]) => Answer } {
  const home = mkdtempSync(join(tmpdir(), 'svc-release-'));
  t.teardown(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, 'clone');
  const say = (cwd: string, command: string, ...args: string[]): Answer =>
    spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26, timeout: 800_000 });
  const git = (...args: string[]) => {
    const { status, stdout, stderr } = say(folder, 'git', ...args);
    if (status !== 0) throw new Error(stderr);
    return stdout;
  };
  say(home, 'git', 'clone', '--quiet', '--depth', '1', `file://${clone}`, folder);
  git('config', 'user.name', 'svc');
  git('config', 'user.email', 'svc@localhost');
  const release = (...args: string[]) => say(folder, process.execPath, 'test/release/release.ts', ...args);
  return { folder, git, release };
}

interface Answer {
  status: number | null;
  stdout: string;
  stderr: string;
}

t.test('a bill of materials lists what an installation has', async (t) => {
  const sha = createHash('sha512').update('x').digest();
  const bill = billOfMaterials('1.2.3', {
    '': { version: '1.2.3' },
    'node_modules/@a/b': { version: '2.0.0', license: 'MIT', integrity: `sha512-${sha.toString('base64')}` },
    'node_modules/c/node_modules/d': { version: '3.0.0', optional: true },
    'node_modules/e': { version: '4.0.0', dev: true },
  }) as { components: object[] };
  t.equal(bill.components.length, 2);
  t.match(bill.components, [
    {
      name: '@a/b',
      purl: 'pkg:npm/%40a/b@2.0.0',
      scope: 'required',
      hashes: [{ alg: 'SHA-512', content: sha.toString('hex') }],
      licenses: [{ expression: 'MIT' }],
    },
    { name: 'd', version: '3.0.0', scope: 'optional' },
  ]);
});

t.test('a clone that is not ready is refused and stays as it is', async (t) => {
  const { folder, git, release } = copy(t);
  const head = git('rev-parse', 'HEAD');
  t.match(release(), { status: 2, stderr: /^usage: / });
  t.match(release('0.0.1', '--checked'), { status: 1, stderr: /does not come after/ });
  git('tag', 'v99.0.0');
  t.match(release('99.0.0', '--checked'), { status: 1, stderr: /there is a tag v99\.0\.0/ });
  writeFileSync(join(folder, 'README.md'), 'changed');
  t.match(release('98.0.0', '--checked'), { status: 1, stderr: /not committed:\n M README\.md/ });
  git('checkout', 'README.md');
  t.equal(git('status', '--porcelain'), '');
  t.equal(git('rev-parse', 'HEAD'), head);
});

t.test('a release of this commit', onlyLong, async (t) => {
  const { folder, git, release } = copy(t);
  // Links to the files and not to the folder, because a release notes in it what is installed.
  spawnSync('cp', ['-al', join(clone, 'node_modules'), join(folder, 'node_modules')]);
  rmSync(join(folder, 'node_modules/.svc-installed'), { force: true });
  cpSync(join(clone, 'plugins/operations/console/web/dist'), join(folder, 'plugins/operations/console/web/dist'), {
    recursive: true,
  });
  const changelog = join(folder, 'CHANGELOG.md');
  writeFileSync(changelog, readFileSync(changelog, 'utf8').replace('## Unreleased\n', '## Unreleased\n\n- A thing\n'));
  git('commit', '--all', '--quiet', '--message', 'Change a thing');
  const done = release('9.9.9', '--checked');
  t.equal(done.status, 0, done.stdout.slice(-2000) + done.stderr.slice(-2000));
  t.equal(
    git('log', '-1', '--format=%s %D')
      .trim()
      .replace(/ HEAD.*tag: /, ' ')
      .replace(/,.*/, ''),
    'Release 9.9.9 v9.9.9',
  );
  t.equal(git('status', '--porcelain'), '');
  t.match(git('show', '--stat', '--format=', 'HEAD'), /recorded\/9\.9\.9\.db\.gz/);
  t.match(readFileSync(join(folder, 'docs/deploy/compose.yaml'), 'utf8'), 'image: svc:9.9.9');
  const files = readdirSync(join(folder, 'release')).sort();
  t.same(files, ['NOTES.md', 'SHA256SUMS', 'svc-9.9.9.cdx.json', 'svc-9.9.9.tgz']);
  const sums = readFileSync(join(folder, 'release/SHA256SUMS'), 'utf8').trim().split('\n');
  t.equal(sums.length, 3);
  for (const line of sums) {
    const [sum, name = ''] = line.split('  ');
    const bytes = readFileSync(join(folder, 'release', name));
    t.equal(createHash('sha256').update(bytes).digest('hex'), sum, name);
  }
  const bill = readFileSync(join(folder, 'release/svc-9.9.9.cdx.json'), 'utf8');
  const { bomFormat, components } = JSON.parse(bill) as { bomFormat: string; components: { name: string }[] };
  t.equal(bomFormat, 'CycloneDX');
  for (const name of ['sequelize', 'mysql2', 'esbuild'])
    t.ok(
      components.some((one) => one.name === name),
      name,
    );
  t.notOk(
    components.some(({ name }) => name === 'typescript'),
    'nothing of development',
  );
});
