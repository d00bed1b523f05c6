/** What a message of `determinism_violation` says, in its parts. */
export interface Violation {
  /** The first sentence. */
  summary: string;
  position: string;
  recorded: string;
  present: string;
  /** Where the two stand in the program, and how much of the journal still replays. */
  notes: string[];
  /** The site from which a rerun still goes. */
  site?: string;
  advice: string;
}

/** Reads the message of a violation; undefined for one of another form, which is shown as it is. */
export function readViolation(message: string): Violation | undefined {
  const lines = message.split('\n');
  const start = lines.findIndex((line) => line.startsWith('  position: '));
  if (start < 0) return undefined;
  const [position, recorded, present] = ['position', 'recorded', 'present'].map((name, i) => {
    const [, word, text] = /^ {2}(\w+): +(.*)$/.exec(lines[start + i] ?? '') ?? [];
    return word === name ? text : undefined;
  });
  if (position === undefined || recorded === undefined || present === undefined) return undefined;
  const rest = lines.slice(start + 3);
  const indented = rest.findIndex((line) => !line.startsWith('  '));
  const notes = (indented < 0 ? rest : rest.slice(0, indented)).map((line) => line.trim());
  const site = notes.map((line) => /--from '(.*)'$/.exec(line)?.[1]).find((found) => found !== undefined);
  return {
    summary: lines.slice(0, start).join('\n'),
    ...{ position, recorded, present, notes },
    ...(site !== undefined && { site }),
    advice: indented < 0 ? '' : rest.slice(indented).join('\n'),
  };
}
