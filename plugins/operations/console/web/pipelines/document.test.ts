import t from 'tap';
import { cellName, jobsOf, stagesOf } from './document.ts';

const SOURCE = `
name: release
jobs:
  build:
    strategy: { matrix: { node: ["20", "22"], os: [linux], include: [{ node: "24", next: true }] } }
    steps: [{ id: compile, run: make }, { name: report, run: "true" }, { run: "true" }]
  lint: { steps: [{ run: lint }], concurrency: { group: prod } }
  approval: { needs: build, wait_for_event: deploy.approved }
  ship: { needs: [approval, lint], if: "vars.x == 1", workflow: { from_repo: { path: a.sh, repo: acme/site } }, concurrency: prod }
`;

t.test('jobs of a document', async (t) => {
  const [build, lint, approval, ship] = jobsOf(SOURCE);
  t.match(build, { id: 'build', kind: 'steps', needs: [], steps: ['compile', 'report', 'step 3'] });
  t.same(build!.cells.map(cellName), ['node 20, os linux', 'node 22, os linux', 'node 24, next true']);
  t.match(lint, { group: 'prod', cells: [] });
  t.match(approval, { kind: 'event', what: 'deploy.approved', needs: ['build'] });
  t.match(ship, { kind: 'workflow', script: true, what: 'a.sh of acme/site', condition: 'vars.x == 1', group: 'prod' });
});

t.test('stages', async (t) => {
  const ids = (source: string) => stagesOf(jobsOf(source)).map((stage) => stage.map(({ id }) => id));
  t.same(ids(SOURCE), [['build', 'lint'], ['approval'], ['ship']]);
  t.same(ids('jobs: {a: {needs: b}, b: {needs: a}, c: {needs: nobody}}'), [['c'], ['a', 'b']]);
});

t.test('what is no document has no jobs', async (t) => {
  for (const source of ['', ': :', '[1]', 'jobs: 3', 'jobs: [a]', 'jobs: {a: 3}', 'a: &a [*a]', '"\\ud800"'])
    t.same(jobsOf(source), [], source);
  t.match(jobsOf('jobs: {a: {strategy: {matrix: {n: 3}}, needs: [1], steps: 4}}'), [
    { cells: [], needs: [], steps: [] },
  ]);
  const large = `jobs: {a: {strategy: {matrix: {x: [${'1,'.repeat(999)}1], y: [${'1,'.repeat(999)}1]}}}}`;
  t.same(jobsOf(large)[0]?.cells, [], 'more than a matrix may have');
});
