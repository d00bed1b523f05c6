import { extensionPoint } from '../../../kernel/contracts/index.ts';
import type { Json } from './run.ts';

/** A kind of workflow: recognises its sources, checks them and says what runs first. */
export interface WorkflowKind {
  /** `script`, `pipeline`, `graph`, `node`. */
  kind: string;
  /** The versioned type, e.g. `svc/script/v1`. */
  type: string;
  /** Lower first; a script takes whatever nobody else recognises. */
  precedence: number;
  recognises(filename: string | undefined, source: string): boolean;
  /** Faults with their place; empty when fine. */
  check(document: WorkflowDocument): Promise<Problem[]>;
  /** The first activities. Only called when `check` found nothing. */
  plan(document: WorkflowDocument): PlannedActivity[];
}

export interface WorkflowDocument {
  filename: string | undefined;
  source: string;
  interpreter: string | undefined;
  env: Record<string, string>;
  requires: string[];
}

export interface PlannedActivity {
  name: string;
  executor: string;
  spec: Json;
  requires: string[];
}

export interface Problem {
  line: number;
  column: number;
  message: string;
  code: string;
}

export const WorkflowKinds = extensionPoint<WorkflowKind>('runs.WorkflowKinds', { key: (kind) => kind.kind });
