import { type GraphDocument, type Point, readDocument } from '../document.ts';
import { freshId } from './ids.ts';
import { edgesOf, withPlaces } from './model.ts';
import { type ReadingOf, renameAmong } from './rename.ts';
import { parseExact } from '../../../../../platform/schema/contract/exact-json.ts';

/** These nodes with the edges between them, as a document of their own. */
export function copyOf(document: GraphDocument, ids: ReadonlySet<string>): string {
  const nodes = document.nodes.filter(({ id }) => ids.has(id));
  const edges = edgesOf(document).filter(({ from, to }) => ids.has(from) && ids.has(to));
  return JSON.stringify({ version: document.version, nodes, edges }, null, 2);
}

const STEP = 40;

/** The nodes of another document beside those that are there, with ids of their own. Throws as `readDocument` does. */
export function pasteInto(
  document: GraphDocument,
  text: string,
  readingOf: ReadingOf,
): { document: GraphDocument; ids: Set<string> } {
  const given = withPlaces(readText(text));
  const taken = new Set(document.nodes.map(({ id }) => id));
  const names = new Map<string, string>();
  for (const { id } of given.nodes) {
    const name = freshId(id, taken);
    taken.add(name);
    names.set(id, name);
  }
  const to = (id: string) => names.get(id) ?? id;
  const by = freeStep(document, given);
  const nodes = renameAmong(given.nodes, to, readingOf).map((node) => ({
    ...node,
    position: moved(node.position!, by),
  }));
  const edges = edgesOf(given)
    .filter(({ from, to: end }) => names.has(from) && names.has(end))
    .map((edge) => ({ ...edge, from: to(edge.from), to: to(edge.to) }));
  return {
    document: { ...document, nodes: [...document.nodes, ...nodes], edges: [...edgesOf(document), ...edges] },
    ids: new Set(names.values()),
  };
}

const moved = ({ x, y }: Point, by: number): Point => ({ x: x + by, y: y + by });
const place = ({ x, y }: Point): string => `${x} ${y}`;

/** How far what is put in must move so that no card lies exactly on another. */
function freeStep(document: GraphDocument, given: GraphDocument): number {
  const taken = new Set(document.nodes.flatMap(({ position }) => (position ? [place(position)] : [])));
  let by = 0;
  while (given.nodes.some(({ position }) => taken.has(place(moved(position!, by))))) by += STEP;
  return by;
}

/** The document of a text. Throws an error in plain words. */
export function readText(text: string): GraphDocument {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch (error) {
    throw new Error(`This is not JSON: ${(error as Error).message}.`, { cause: error });
  }
  return readDocument(value);
}

/** As a file has it. */
export const textOf = (document: GraphDocument): string => `${JSON.stringify(document, null, 2)}\n`;
