import { useSyncExternalStore } from 'react';
import { parseExact } from '../../../../../platform/schema/contract/exact-json.ts';
import type { Scope } from '../../api/paths.ts';
import type { GraphDocument } from '../document.ts';
import type { Sample } from '../expressions/names.ts';

/**
 * Data that somebody fixed for trying nodes, by what an expression reads. It stays in the browser: a version that is saved,
 * published or exported would carry the data of a customer to everybody who may read the graph.
 */
export type Pins = Readonly<Record<string, unknown>>;

export const INPUT = 'input';
/** What the output of a node is pinned as. */
export const pinOf = (node: string): string => `nodes.${node}`;

/** Characters of all pins of a graph. */
const MOST = 256 * 1024;
const NONE: Pins = {};

const known = new Map<string, Pins>();
const listeners = new Set<() => void>();

const PREFIX = 'svc.samples.';
const keyOf = ({ org, project }: Scope, graph: string): string => `${PREFIX}${org}/${project}/${graph}`;

function read(key: string): Pins {
  const before = known.get(key);
  if (before) return before;
  let pins = NONE;
  try {
    const kept: unknown = parseExact(localStorage.getItem(key) ?? '{}');
    if (typeof kept === 'object' && kept !== null) pins = kept as Pins;
  } catch {
    // Of another version, or broken: as if nothing were pinned.
  }
  known.set(key, pins);
  return pins;
}

function write(key: string, pins: Pins): void {
  const text = JSON.stringify(pins);
  if (text.length > MOST) throw new Error('The samples of a graph can have at most 256 KB in total.');
  known.set(key, pins);
  if (pins === NONE || Object.keys(pins).length === 0) localStorage.removeItem(key);
  else localStorage.setItem(key, text);
  for (const on of listeners) on();
}

const subscribe = (on: () => void): (() => void) => {
  listeners.add(on);
  return () => listeners.delete(on);
};

export interface Pinned {
  pins: Pins;
  /** Undefined: no longer. Throws when it is too much to keep. */
  pin(name: string, value: unknown): void;
}

/** The pins of a graph; of one without a name yet, those of the newest such. */
export function usePins(scope: Scope, graph: string | undefined): Pinned {
  const key = keyOf(scope, graph ?? '');
  const pins = useSyncExternalStore(subscribe, () => read(key));
  return {
    pins,
    pin(name, value) {
      const { [name]: _, ...rest } = read(key);
      write(key, value === undefined ? rest : { ...rest, [name]: value });
    },
  };
}

/** A graph got its name. Those of its loops have the path of the loop behind it. */
export function movePins(scope: Scope, to: string): void {
  const unnamed = keyOf(scope, '');
  const ofLoops = Object.keys(localStorage).filter((key) => key.startsWith(`${unnamed}/`));
  for (const key of [unnamed, ...ofLoops]) {
    const pins = read(key);
    write(key, NONE);
    if (Object.keys(pins).length > 0) write(keyOf(scope, to) + key.slice(unnamed.length), pins);
  }
}

/** Somebody signs out: what is left in the browser is not for whoever comes next. */
export function forgetPins(): void {
  known.clear();
  for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
}

/** The input of a run: pinned itself, or as the output of a trigger, which gives it on. */
export function pinnedInput(pins: Pins, { nodes }: Pick<GraphDocument, 'nodes'>): unknown {
  if (Object.hasOwn(pins, INPUT)) return pins[INPUT];
  const trigger = nodes.find(({ id, type }) => type.startsWith('trigger.') && Object.hasOwn(pins, pinOf(id)));
  return trigger && pins[pinOf(trigger.id)];
}

/** What expressions see: pinned data in place of that of the run. */
export function withPins(
  sample: Sample | undefined,
  pins: Pins,
  document: Pick<GraphDocument, 'nodes'>,
): Sample | undefined {
  const names = Object.keys(pins);
  if (names.length === 0) return sample;
  const nodes = { ...sample?.nodes };
  for (const name of names)
    if (name !== INPUT)
      nodes[name.slice('nodes.'.length)] = { output: pins[name], status: 'succeeded', error: null, case: null };
  const input = pinnedInput(pins, document);
  return { ...sample, nodes, ...(input !== undefined && { input }) };
}
