import { Errors, type Fault } from '../../../kernel/contracts/index.ts';
import type { PutHandlerBody } from '../generated/put-handler.ts';

/** What runs, as the caller gave it: everything of the registration but when. */
export type Definition = Omit<PutHandlerBody, 'on' | 'when' | 'env' | 'credentials'> & {
  env?: Record<string, string>;
  credentials?: Record<string, string>;
};

/** The document that the engine is handed. */
export interface HandlerDocument {
  kind?: string;
  filename?: string;
  source: string;
}

/** Members that say what runs, and those that go with each. */
const FORMS = { source: ['kind', 'filename', 'interpreter', 'credentials'], graph: [], node: ['config'] } as const;

/**
 * A stored graph and a single node are documents of the kinds `graph` and `node`, `{"graph": name}` and `{"node", "config"}`.
 * Throws `invalid_request` unless exactly one form is given with what belongs to it.
 */
export function documentOf(definition: Definition): HandlerDocument {
  const { kind, filename, source, graph, node, config } = definition;
  const faults = formFaults(definition);
  if (faults.length > 0)
    throw Errors.invalidRequest(faults.map(({ pointer, message }) => `${pointer} ${message}`).join('; '), {
      errors: faults,
    });
  if (source !== undefined)
    return { ...(kind === undefined ? {} : { kind }), ...(filename === undefined ? {} : { filename }), source };
  if (graph !== undefined) return { kind: 'graph', source: JSON.stringify({ graph }) };
  return { kind: 'node', source: JSON.stringify({ node, config: config ?? {} }) };
}

function formFaults(definition: Definition): Fault[] {
  const given = (Object.keys(FORMS) as (keyof typeof FORMS)[]).filter((form) => definition[form] !== undefined);
  const [form, another] = given;
  if (form === undefined) return [{ pointer: '/source', message: 'is missing: give source, graph or node' }];
  if (another !== undefined)
    return [{ pointer: `/${another}`, message: `stands beside ${form}; a handler runs one of source, graph and node` }];
  return Object.entries(FORMS).flatMap(([other, members]) =>
    members
      .filter((member) => other !== form && definition[member] !== undefined)
      .map((member) => ({ pointer: `/${member}`, message: `goes with ${other}, not with ${form}` })),
  );
}
