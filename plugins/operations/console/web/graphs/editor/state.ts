import { useMemo, useState } from 'react';
import type { GraphDocument } from '../document.ts';
import { begin, change, type History, redo, undo } from './history.ts';

export interface Selection {
  nodes: ReadonlySet<string>;
  /** By `edgeKey`. */
  edges: ReadonlySet<string>;
}

export const NOTHING: Selection = { nodes: new Set(), edges: new Set() };
export const nodesOnly = (...ids: string[]): Selection => ({ nodes: new Set(ids), edges: NOTHING.edges });
export const edgesOnly = (...keys: string[]): Selection => ({ nodes: NOTHING.nodes, edges: new Set(keys) });

interface Editing {
  history: History<GraphDocument>;
  selection: Selection;
}

/** The document after a change, and what is selected then. */
export type Change = (document: GraphDocument) => GraphDocument | { document: GraphDocument; select: Selection };

export interface Actions {
  /** `burst`: changes of the same name, soon after each other, are undone together. */
  apply(change: Change, burst?: string): void;
  select(choose: Selection | ((before: Selection) => Selection)): void;
  undo(): void;
  redo(): void;
}

/** A document while it is edited; `chosen` is the node that is selected at first. The actions are the same object as long as it is open. */
export function useEditing(opened: GraphDocument, chosen?: string) {
  const [editing, setEditing] = useState<Editing>(() => ({
    history: begin(opened),
    selection: chosen === undefined ? NOTHING : nodesOnly(chosen),
  }));
  const actions = useMemo<Actions>(() => {
    const step = (go: (history: Editing['history']) => Editing['history']) =>
      setEditing(({ history, selection }) => kept({ history: go(history), selection }));
    return {
      apply(make, burst) {
        const at = Date.now();
        setEditing(({ history, selection }) => {
          const made = make(history.present);
          const after = 'select' in made ? made : { document: made, select: selection };
          return kept({ history: change(history, after.document, at, burst), selection: after.select });
        });
      },
      select: (choose) =>
        setEditing((now) => ({ ...now, selection: typeof choose === 'function' ? choose(now.selection) : choose })),
      undo: () => step(undo),
      redo: () => step(redo),
    };
  }, []);
  const { history, selection } = editing;
  return {
    document: history.present,
    selection,
    actions,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
  };
}

/** Without nodes that are gone. */
function kept({ history, selection }: Editing): Editing {
  if (selection.nodes.size === 0) return { history, selection };
  const ids = new Set(history.present.nodes.map(({ id }) => id));
  const nodes = new Set([...selection.nodes].filter((id) => ids.has(id)));
  return { history, selection: nodes.size === selection.nodes.size ? selection : { ...selection, nodes } };
}
