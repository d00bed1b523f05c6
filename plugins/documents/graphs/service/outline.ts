import type { Json, OutlineItem, OutlinePosition } from '../../../engine/runs/contract.ts';
import type { ScriptOutlines } from '../../../execution/scripts/contract.ts';
import { positionsOf } from '../../../platform/schema/contract.ts';
import type { NodeConfig } from '../contract.ts';
import { type CheckedGraph, everyNode, workNode } from '../domain/graph.ts';
import type { CompiledNodeType } from '../domain/node-type-catalog.ts';
import { isObject } from '../domain/values.ts';

/** Lists what the nodes of a graph, and those of its loops, may do. Its triggers are handlers, hooks and schedules of their own. */
export async function outlineGraph(
  graph: CheckedGraph,
  source: string,
  outlines: Pick<ScriptOutlines, 'script'>,
): Promise<OutlineItem[]> {
  const { cancel_on = [], concurrency } = graph.document;
  const nodes = [...everyNode(graph)].filter(({ typed }) => !typed.type.trigger);
  const positions = positionsOf(
    source,
    nodes.map(({ document_pointer, typed }) => `${document_pointer}/nodes/${typed.index}`),
  );
  const items: OutlineItem[] = [
    ...cancel_on.map((type): OutlineItem => ({ does: 'cancel', type })),
    ...leaseOf(concurrency),
  ];
  for (const [n, { typed, path }] of nodes.entries()) {
    const { type, config } = workNode(typed);
    const at = { section: `node ${path}`, line: positions[n]?.line };
    items.push(...itemsOfNode(type, config, at), ...(await itemsOfProgram(type, config, path, at, outlines)));
  }
  return items;
}

function leaseOf(concurrency: CheckedGraph['document']['concurrency']): OutlineItem[] {
  if (concurrency === undefined) return [];
  const { group, key } = typeof concurrency === 'string' ? { group: concurrency, key: undefined } : concurrency;
  if (typeof group !== 'string') return [{ does: 'unknown', what: 'takes a lock whose name is computed' }];
  return [{ does: 'lease', name: key === undefined ? group : `${group}/…` }];
}

function itemsOfNode(type: CompiledNodeType, config: NodeConfig, at: OutlinePosition): OutlineItem[] {
  const [connector = '', action] = type.type.split('.', 2);
  const { requires = [] } = config;
  return [
    ...(action === undefined ? [] : [{ ...at, does: 'connector' as const, name: connector }]),
    ...(type.credentials?.(config) ?? []).map(({ name }): OutlineItem => ({ ...at, does: 'credential', name })),
    ...computedCredentials(config).map((what): OutlineItem => ({ ...at, does: 'unknown', what })),
    ...(Array.isArray(requires) ? requires : []).flatMap((name): OutlineItem[] =>
      typeof name === 'string' ? [{ ...at, does: 'agent', name }] : [],
    ),
    ...itemsOfEvents(type, config, at),
    ...(type.type === 'workflow' ? [calledBy(config, at)] : []),
  ];
}

function computedCredentials({ credential, credentials, from_repo }: NodeConfig): string[] {
  const values = [
    credential,
    ...(isObject(credentials) ? ('$expr' in credentials ? [credentials] : Object.values(credentials)) : []),
    ...(isObject(from_repo) ? [from_repo.credential] : []),
  ];
  return values.some((value) => isObject(value)) ? ['uses a credential whose name is computed'] : [];
}

function itemsOfEvents(type: CompiledNodeType, config: NodeConfig, at: OutlinePosition): OutlineItem[] {
  const waitFor = (one: { [member: string]: Json }): OutlineItem => {
    if (typeof one.event !== 'string' || one.event.includes('{{'))
      return { ...at, does: 'unknown', what: 'waits for an event whose type is computed' };
    const when = typeof one.when === 'string' ? one.when : undefined;
    return { ...at, does: 'wait', type: one.event, when, untrusted: (one.untrusted ?? false) !== false };
  };
  switch (type.type) {
    case 'emit': {
      const types = type.emits?.(config) ?? [];
      if (types.length === 0) return [{ ...at, does: 'unknown', what: 'emits an event whose type is computed' }];
      return types.map((one) => ({ ...at, does: 'emit', type: one }));
    }
    case 'event':
      return [waitFor({ ...config })];
    case 'wait_any': {
      const list = config.for;
      if (!Array.isArray(list)) return [{ ...at, does: 'unknown', what: 'waits for things that are computed' }];
      return list.flatMap((one) => (isObject(one) && 'event' in one ? [waitFor(one)] : []));
    }
    default:
      return (type.emits?.(config) ?? []).map((one) => ({ ...at, does: 'emit', type: one }));
  }
}

function calledBy({ graph, source, from_repo, filename, kind }: NodeConfig, at: OutlinePosition): OutlineItem {
  if (typeof graph === 'string' && !graph.includes('{{'))
    return { ...at, does: 'call', name: graph, workflow: { graph } };
  const inline =
    typeof source === 'string' ? source : isObject(source) && !('$expr' in source) ? JSON.stringify(source) : undefined;
  if (inline !== undefined) {
    const name = typeof filename === 'string' ? filename : 'inline';
    const named = {
      ...(typeof filename === 'string' && { filename }),
      ...(typeof kind === 'string' && { kind }),
    };
    return { ...at, does: 'call', name, workflow: { source: inline, ...named } };
  }
  const from = isObject(from_repo) ? `${String(from_repo.path)} of ${String(from_repo.repo)}` : undefined;
  const what =
    from === undefined ? 'runs a workflow whose name is computed' : `runs ${from}, which is read when the node starts`;
  return { ...at, does: 'unknown', what };
}

async function itemsOfProgram(
  { type, lower }: CompiledNodeType,
  config: NodeConfig,
  path: string,
  at: OutlinePosition,
  outlines: Pick<ScriptOutlines, 'script'>,
): Promise<OutlineItem[]> {
  if (type !== 'code' && type !== 'shell') return [];
  const { script, interpreter } = config;
  const lowered = lower?.(config).config;
  const ending = isObject(lowered) ? lowered.ending : undefined;
  if (typeof script !== 'string')
    return [
      { ...at, does: 'program' },
      { ...at, does: 'unknown', what: 'runs a program whose text is computed' },
    ];
  const found = await outlines.script({
    filename: `${path}${String(ending ?? '')}`,
    source: script,
    interpreter: typeof interpreter === 'string' ? interpreter : undefined,
  });
  return found.map((item) => ({ ...item, ...at }));
}
