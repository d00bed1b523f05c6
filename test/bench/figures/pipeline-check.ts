import { parse } from 'yaml';
import type { Figure } from '../figure.ts';
import { measureCheck } from './document-check.ts';

const JOBS = 1000;

/** A chain in which each job reads the one before it. No round has the text of another, which would be remembered. */
function documentOf(round: number): string {
  const read = (n: number) => (n === 0 ? 'vars.x' : `jobs.j${n - 1}.outputs.o`);
  const job = (n: number) => `  j${n}:
    needs: [${n === 0 ? '' : `j${n - 1}`}]
    if: vars.x == ${round}
    env: { BEFORE: "\${{ ${read(n)} }}" }
    steps:
      - id: make
        run: |
          make "$BEFORE"
          echo "o=1" >> "$SVC_OUTPUT"
    outputs: { o: "\${{ steps.make.output.o }}" }
`;
  return `vars: { x: ${round} }\njobs:\n${Array.from({ length: JOBS }, (_, n) => job(n)).join('')}`;
}

export const pipelineCheck: Figure = {
  name: 'pipeline-check',
  summary: `the check of a pipeline of ${JOBS} jobs, each with needs, a condition and expressions`,
  async measure(bench) {
    const rounds = bench.size(10, 3);
    const check = await measureCheck(
      {
        kind: 'pipeline',
        filename: 'ci.yml',
        source: documentOf,
        parse: (source) => void parse(source),
        size: JOBS,
        parts: 'jobs',
        goal_ms: 300,
        floor: 'the parser of YAML alone',
      },
      rounds,
    );
    return [check];
  },
};
