export type What = 'script' | 'pipeline' | 'graph' | 'function';

/** A document that somebody writes. */
export interface Draft {
  filename: string;
  source: string;
}

export interface NewRunAddress {
  what?: What;
  graph?: string;
  function?: string;
}

/** Anything else that stands in an address is left out. */
export function readNewRun({ what, graph, function: name }: Record<string, unknown>): NewRunAddress {
  return {
    ...(isWhat(what) && { what }),
    ...(typeof graph === 'string' && graph !== '' && { graph }),
    // The router reads `function=7` as a number.
    ...((typeof name === 'string' || typeof name === 'number') && name !== '' && { function: String(name) }),
  };
}

const isWhat = (what: unknown): what is What =>
  what === 'script' || what === 'pipeline' || what === 'graph' || what === 'function';

/** What runs: what the address says, else what it names. */
export function whatOf({ what, graph, function: name }: NewRunAddress): What {
  if (what !== undefined) return what;
  if (graph !== undefined) return 'graph';
  return name === undefined ? 'script' : 'function';
}
