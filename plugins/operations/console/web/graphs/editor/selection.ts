import type { GraphDocument } from '../document.ts';
import { copyOf, pasteInto } from './fragment.ts';
import { disconnect, removeNodes } from './model.ts';
import type { ReadingOf } from './rename.ts';
import { type Actions, NOTHING, nodesOnly, type Selection } from './state.ts';

export const removeChosen = (selection: Selection, actions: Actions): void =>
  actions.apply((now) => ({
    document: removeNodes(disconnect(now, selection.edges), selection.nodes),
    select: NOTHING,
  }));

/** Copies, and what a paste does. */
export function clipboardOf(document: GraphDocument, selection: Selection, actions: Actions, readingOf: ReadingOf) {
  const copied = (): string | undefined => (selection.nodes.size > 0 ? copyOf(document, selection.nodes) : undefined);
  /** Answers why it cannot be put in. */
  const paste = (text: string): string | undefined => {
    try {
      const made = pasteInto(document, text, readingOf);
      actions.apply(() => ({ document: made.document, select: nodesOnly(...made.ids) }));
      return undefined;
    } catch (error) {
      return `The clipboard content cannot be pasted. ${(error as Error).message}`;
    }
  };
  return {
    copied,
    paste,
    duplicate: () => {
      const text = copied();
      if (text !== undefined) paste(text);
    },
  };
}
