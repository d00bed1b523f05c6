import { boot } from '../../kit/index.ts';
import { type WorkflowKind, WorkflowKinds } from '../../../plugins/engine/runs/contract.ts';
import { cpuMsOf } from '../cpu.ts';
import { atMostValue, mustBe, type Row } from '../figure.ts';
import { median } from '../statistics.ts';

interface CheckedDocument {
  kind: 'graph' | 'pipeline';
  /** How many parts a document has, and what they are called. */
  size: number;
  parts: string;
  /** The most milliseconds that its check may take. */
  goal_ms: number;
  /** What the floor does. */
  floor: string;
  filename: string;
  /** A document that no other round has, because a known one would be remembered. */
  source(round: number): string;
  /** The floor: only parses it. */
  parse(source: string, round: number): void;
}

/** Rounds before those that count, in which the engine compiles. */
const WARM_UP = 3;

/** The CPU time of checks of a document, in a server that does nothing else, and that of its parser alone. */
export async function measureCheck(document: CheckedDocument, rounds: number): Promise<Row> {
  const server = await boot({ idle: true });
  try {
    const kind = server.use.all(WorkflowKinds).find((one) => one.kind === document.kind)!;
    const ours: number[] = [];
    const floor: number[] = [];
    for (let round = 0; round < WARM_UP + rounds; round += 1) {
      const source = document.source(round);
      const parsed = await cpuMsOf(() => document.parse(source, round));
      const checked = await cpuMsOf(
        async () => void mustBe('faults', await countFaults(kind, document.filename, source), 0),
      );
      if (round < WARM_UP) continue;
      floor.push(parsed);
      ours.push(checked);
    }
    return {
      figure: `check of a ${document.kind} of ${document.size} ${document.parts}`,
      unit: 'ms of CPU',
      ours: median(ours),
      floor: { value: median(floor), is: document.floor },
      goal: atMostValue(document.goal_ms),
      done: document.size * rounds,
    };
  } finally {
    await server.close();
  }
}

async function countFaults(kind: WorkflowKind, filename: string, source: string): Promise<number> {
  const scope = { org_id: 'org_1', org: 'acme', project_id: 'prj_1', project: 'main' };
  return (await kind.check(scope, { filename, source, interpreter: undefined, env: {}, requires: [] })).length;
}
