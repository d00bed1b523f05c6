import { token, type Transaction } from '../../../../kernel/contracts/index.ts';

/** A node of a coordinated run that is over, for the run's trace. Its activities have its name. */
export interface NodeSpan {
  /** Within its run. */
  name: string;
  /** The node that an item belongs to. */
  of?: string | undefined;
  type: string;
  state: string;
  attempts: number;
  /** Epoch ms. */
  started_at: number | null;
  finished_at: number;
  error_code: string | null;
}

/** Coordinators report their nodes to it. Its members are undefined if the server does not trace. */
export interface NodeSpans {
  /** Exported after the commit. Absent when nobody traces. */
  readonly over?: ((tx: Transaction, run_id: string, nodes: readonly NodeSpan[]) => void) | undefined;
}

export const NodeSpans = token<NodeSpans>('runs.NodeSpans');
