import { parse } from 'yaml';
import { boot } from '../../kit/index.ts';
import { type WorkflowKind, WorkflowKinds } from '../../../plugins/engine/runs/contract.ts';
import { cpuMsOf } from '../cpu.ts';
import { atMostValue, type Figure, mustBe } from '../figure.ts';
import { median } from '../statistics.ts';

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
    const server = await boot({ idle: true });
    try {
      const kind = server.use.all(WorkflowKinds).find((one) => one.kind === 'pipeline')!;
      const rounds = bench.size(10, 3);
      const [ours, floor]: number[][] = [[], []];
      for (let round = -3; round < rounds; round += 1) {
        const source = documentOf(round + 3);
        const parsed = await cpuMsOf(() => void parse(source));
        const checked = await cpuMsOf(async () => void mustBe('faults', await faultsOf(kind, source), 0));
        // The first rounds are for the compiler of the engine.
        if (round < 0) continue;
        floor!.push(parsed);
        ours!.push(checked);
      }
      return [
        {
          figure: `check of a pipeline of ${JOBS} jobs`,
          unit: 'ms of CPU',
          ours: median(ours!),
          floor: { value: median(floor!), is: 'the parser of YAML alone' },
          goal: atMostValue(300),
          done: JOBS * rounds,
        },
      ];
    } finally {
      await server.close();
    }
  },
};

const faultsOf = async (kind: WorkflowKind, source: string): Promise<number> => {
  const scope = { org_id: 'org_1', org: 'acme', project_id: 'prj_1', project: 'main' };
  const document = { filename: 'ci.yml', source, interpreter: undefined, env: {}, requires: [] };
  return (await kind.check(scope, document)).length;
};
