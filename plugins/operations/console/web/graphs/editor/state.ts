import { useMemo, useState } from 'react';
import type { GraphDocument } from '../document.ts';
import { begin, change, type History, redo, undo } from './history.ts';
import { changeAt, graphAt, type LoopPath, reachable } from './loops.ts';

export interface Selection {
  nodes: ReadonlySet<string>;
  /** By `edgeKey`. */
  edges: ReadonlySet<string>;
}

export const NOTHING: Selection = { nodes: new Set(), edges: new Set() };
export const nodesOnly = (...ids: string[]): Selection => ({ nodes: new Set(ids), edges: NOTHING.edges });
export const edgesOnly = (...keys: string[]): Selection => ({ nodes: NOTHING.nodes, edges: new Set(keys) });

interface Editing {
  /** Of whole documents: a change in a loop is one too. */
  history: History<GraphDocument>;
  /** The loop that is open. */
  path: LoopPath;
  selection: Selection;
}

/** The graph that is open after a change, and what is selected then. */
export type Change = (document: GraphDocument) => GraphDocument | { document: GraphDocument; select: Selection };

export interface Actions {
  /** `burst`: changes of the same name, soon after each other, are undone together. */
  apply(change: Change, burst?: string): void;
  /** Puts another document in the place of the whole. */
  replace(document: GraphDocument): void;
  /** Opens a loop, or with an empty path the graph around all of them. */
  go(path: LoopPath, select?: Selection): void;
  select(choose: Selection | ((before: Selection) => Selection)): void;
  undo(): void;
  redo(): void;
}

/** A document while it is edited; `chosen` is the node that is selected at first. The actions are the same object as long as it is open. */
export function useEditing(opened: GraphDocument, chosen?: string) {
  const [editing, setEditing] = useState<Editing>(() => ({
    history: begin(opened),
    path: [],
    selection: chosen === undefined ? NOTHING : nodesOnly(chosen),
  }));
  const actions = useMemo<Actions>(() => {
    const step = (go: (history: Editing['history']) => Editing['history']) =>
      setEditing((now) => kept({ ...now, history: go(now.history) }));
    return {
      apply(make, burst) {
        const at = Date.now();
        setEditing(({ history, path, selection: before }) => {
          let selection = before;
          const document = changeAt(history.present, path, (level) => {
            const made = make(level);
            if (!('select' in made)) return made;
            selection = made.select;
            return made.document;
          });
          return kept({ history: change(history, document, at, burst), path, selection });
        });
      },
      replace(document) {
        const at = Date.now();
        setEditing(({ history }) => ({ history: change(history, document, at), path: [], selection: NOTHING }));
      },
      go: (path, selection = NOTHING) => setEditing(({ history }) => kept({ history, path, selection })),
      select: (choose) =>
        setEditing((now) => ({ ...now, selection: typeof choose === 'function' ? choose(now.selection) : choose })),
      undo: () => step(undo),
      redo: () => step(redo),
    };
  }, []);
  const { history, path, selection } = editing;
  const document = history.present;
  const level = useMemo(() => graphAt(document, path) ?? document, [document, path]);
  return {
    document,
    level,
    path,
    selection,
    actions,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
  };
}

/** Without loops and nodes that are gone. */
function kept({ history, path: wanted, selection }: Editing): Editing {
  const path = reachable(history.present, wanted);
  if (path.length < wanted.length) return { history, path, selection: NOTHING };
  if (selection.nodes.size === 0) return { history, path, selection };
  const ids = new Set(graphAt(history.present, path)!.nodes.map(({ id }) => id));
  const nodes = new Set([...selection.nodes].filter((id) => ids.has(id)));
  return { history, path, selection: nodes.size === selection.nodes.size ? selection : { ...selection, nodes } };
}
