import { hash } from 'node:crypto';
import t from 'tap';
import {
  type Exporting,
  type Members,
  splitWorkflow,
} from '../../plugins/operations/apply/cli/project/workflow-files.ts';

const content = Buffer.from('text\n');
const included = (path: string) => ({
  path,
  digest: `sha256:${hash('sha256', content, 'hex')}`,
  size: content.length,
});

/** Splits a workflow that a stranger has set in the project. */
async function split(workflow: Members, { readable = true } = {}) {
  const notes: string[] = [];
  const exporting: Exporting = {
    contents: async (_kind, _name, files) =>
      readable ? new Map(files.map(({ digest }) => [digest, content])) : undefined,
    note: (text) => notes.push(text),
  };
  const { members, companions } = await splitWorkflow(workflow, { folder: 'handlers', name: 'x' }, exporting);
  return { members, paths: companions.map(({ path }) => path).sort(), notes };
}

const script = (...paths: string[]) => ({
  kind: 'script',
  filename: 'a.sh',
  source: 'true\n',
  files: paths.map(included),
});
const embedded = (jobs: string, files: object, more = '') => `jobs:\n${jobs}\nfiles: ${JSON.stringify(files)}\n${more}`;
const pipeline = (source: string) => ({ kind: 'pipeline', filename: 'p.yaml', source });

t.test('a script brings its files, and keeps digests where a file could do harm or is not there', async (t) => {
  t.match(await split(script('lib/b.txt')), {
    members: { file: 'x/a.sh', include: ['lib/b.txt'], files: undefined },
    paths: ['handlers/x/a.sh', 'handlers/x/lib/b.txt'],
    notes: [],
  });
  const many = await split(script(...Array.from({ length: 101 }, (_, n) => `lib/${n}.txt`)));
  t.same(many.members.include, ['lib'], 'a file takes 100 paths');
  const hostile = [
    ['.git/config'],
    ['lib/.GIT/config'],
    ['.svc/profile.json'],
    ['a.sh'],
    ['lib', 'lib/b.txt'],
    ['../../../escape.txt'],
    ['../y/a.sh'],
    ['lib/../../y.yaml'],
  ];
  for (const paths of hostile) {
    const { members, paths: written, notes } = await split(script(...paths));
    t.same(written, [], paths.join());
    t.equal((members.files as unknown[]).length, paths.length, 'the digests stay');
    t.match(notes, [/handlers\/x lists its included files by digest/]);
  }
  const viewer = await split(script('lib/b.txt'), { readable: false });
  t.same(viewer.paths, [], 'a token that may not read the content');
  t.match(viewer.notes, [/by digest/]);
  t.match(await split({ kind: 'script', source: 'true', files: [included('b')] }), { paths: [], notes: [/by digest/] });
});

t.test('a pipeline is taken apart only where putting it together again makes the same', async (t) => {
  const job = '  a: {workflow: ../../s/a.sh, include: [b.txt]}';
  const files = { '../../s/a.sh': 'true' };
  const lists = `included: ${JSON.stringify({ a: [included('b.txt')] })}\n`;
  t.match(await split(pipeline(embedded(job, files, lists))), {
    members: { file: 'x/pipelines/pipelines/p.yaml' },
    paths: ['handlers/x/pipelines/pipelines/p.yaml', 'handlers/x/s/a.sh', 'handlers/x/s/b.txt'],
    notes: [],
  });
  const two = '  a: {workflow: a.sh}\n  b: {workflow: ./a.sh}';
  const as_stored: Record<string, string> = {
    'files in the middle': 'files: {"a.sh":"true"}\njobs:\n  a: {workflow: a.sh}\n',
    'files that no job runs': embedded('  a: {workflow: a.sh}', { 'a.sh': 'true', 'b.sh': 'true' }),
    'spaces in files': 'jobs:\n  a: {workflow: a.sh}\nfiles: {"a.sh": "true"}\n',
    'an absolute path': embedded('  a: {workflow: /tmp/a.sh}', { '/tmp/a.sh': 'true' }),
    'a path of git': embedded('  a: {workflow: .git/hooks/pre-commit}', { '.git/hooks/pre-commit': 'true' }),
    'a text that is none': embedded('  a: {workflow: a.sh}', { 'a.sh': 7 }),
    'two texts of one path': embedded(two, { 'a.sh': 'true', './a.sh': 'false' }),
    'its own path': embedded('  a: {workflow: p.yaml}', { 'p.yaml': 'jobs: {}\n' }),
    'lists by hand': `jobs:\n  a: {workflow: a.sh, include: [b.txt]}\nincluded: {a: []}\n`,
    'a prototype': embedded('  a: {workflow: __proto__}', JSON.parse('{"__proto__":"true","b":"c"}') as object),
  };
  for (const [what, source] of Object.entries(as_stored)) {
    const { members, paths, notes } = await split(pipeline(source));
    t.equal(members.file, 'x/p.yaml', what);
    t.same(paths, ['handlers/x/p.yaml'], what);
    t.match(notes, [/handlers\/x keeps the `files` of its pipeline/], what);
  }
  let nested = 'jobs: {}\n';
  for (let depth = 0; depth < 12; depth++) nested = embedded('  a: {workflow: q.yaml}', { 'q.yaml': nested });
  t.match((await split(pipeline(nested))).notes, [/keeps/], 'deeper than pipelines may be');
});
