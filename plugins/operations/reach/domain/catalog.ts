import type { EventInlet } from '../../../events/bus/contract.ts';
import type { OutlineItem, OutlinePosition } from '../../../engine/runs/contract.ts';

/** A workflow as the walk sees it: a stored one, or one that another workflow contains or calls. */
export interface Unit {
  id: string;
  kind: 'handler' | 'schedule' | 'webhook' | 'graph' | 'workflow';
  name: string;
  /** The name of its document, if it has one. */
  file?: string | undefined;
  /** The patterns of the events that start it, and their predicate. */
  on: readonly string[];
  when?: string | undefined;
  /** An untrusted event starts nothing, because it declares credentials. */
  rejects_untrusted: boolean;
  /** The code of a worker, which untrusted runs cannot call. */
  is_function: boolean;
  items: readonly Exclude<OutlineItem, { does: 'call' }>[];
  calls: readonly UnitCall[];
}

/** A call, and the unit that it runs. */
export interface UnitCall extends OutlinePosition {
  name: string;
  unit: string;
}

/** What a project has that events can reach. */
export interface Catalog {
  units: ReadonlyMap<string, Unit>;
  inlets: readonly EventInlet[];
  /** Names of secrets. */
  secrets: readonly string[];
  /** Names that belong to connected accounts instead of credentials. */
  accounts: ReadonlySet<string>;
  /** There are more workflows than were read. */
  is_truncated: boolean;
}
