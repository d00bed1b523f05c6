/** The parts of a `determinism_violation` message. */
export interface Violation {
  /** The first sentence. */
  summary: string;
  position: string;
  recorded: string;
  present: string;
  /** Where the two calls stand in the program, and how much of the journal still replays. */
  notes: string[];
  /** The nearest site from which a rerun still works. */
  site?: string;
  advice: string;
}

/**
 * Parses the message of a violation. Returns undefined for a message of another form, which is then shown unchanged.
 */
export function parseViolation(message: string): Violation | undefined {
  const lines = message.split('\n');
  const start = lines.findIndex((line) => line.startsWith('  position: '));
  if (start < 0) return undefined;
  const [position, recorded, present] = ['position', 'recorded', 'present'].map((name, i) => {
    const [, word, text] = /^ {2}(\w+): +(.*)$/.exec(lines[start + i] ?? '') ?? [];
    return word === name ? text : undefined;
  });
  if (position === undefined || recorded === undefined || present === undefined) return undefined;
  const tail = lines.slice(start + 3);
  const indented = tail.findIndex((line) => !line.startsWith('  '));
  const notes = (indented < 0 ? tail : tail.slice(0, indented)).map((line) => line.trim());
  const site = notes.map((line) => /--from '(.*)'$/.exec(line)?.[1]).find((text) => text !== undefined);
  return {
    summary: lines.slice(0, start).join('\n'),
    position,
    recorded,
    present,
    notes,
    site,
    advice: indented < 0 ? '' : tail.slice(indented).join('\n'),
  };
}
