export type What = 'script' | 'pipeline' | 'graph';

/** A document that somebody writes. */
export interface Draft {
  filename: string;
  source: string;
}

interface NewRunAddress {
  what?: What;
  graph?: string;
}

/** Anything else that stands in an address is left out. */
export function readNewRun({ what, graph }: Record<string, unknown>): NewRunAddress {
  return {
    ...((what === 'script' || what === 'pipeline' || what === 'graph') && { what }),
    ...(typeof graph === 'string' && graph !== '' && { graph }),
  };
}
