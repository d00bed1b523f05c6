/** What the palette can lead to. */
export interface Command {
  id: string;
  group:
    | 'Actions'
    | 'Pages'
    | 'Graphs'
    | 'Functions'
    | 'Handlers'
    | 'Schedules'
    | 'Webhooks'
    | 'Hooks'
    | 'Runs'
    | 'Projects';
  label: string;
  /** At the right: the version, the age, the key. */
  hint?: string;
  /** What else it is found by: an id, an older name. */
  also?: string;
  /** Of a run. */
  status?: string;
  go(): void;
}

/** Of one group, so that the others are seen too. */
const MOST = 8;

/** By their beginnings first, then by the beginnings of words, then by anything in them; undefined when it does not fit. */
export function rankOf({ label, also = '' }: Pick<Command, 'label' | 'also'>, text: string): number | undefined {
  const wanted = text.toLowerCase();
  const [name, further] = [label.toLowerCase(), also.toLowerCase()];
  if (name.startsWith(wanted)) return 0;
  if (name.split(/[\s._/-]+/).some((word) => word.startsWith(wanted))) return 1;
  if (further.endsWith(wanted)) return 1;
  if (name.includes(wanted) || further.includes(wanted)) return 2;
  return undefined;
}

/** What fits the text, the best of each group first. Without a text, what one is offered at once. */
export function found(commands: readonly Command[], text: string): [group: Command['group'], commands: Command[]][] {
  const ranked = commands.flatMap((command) => {
    const rank = rankOf(command, text);
    return rank === undefined ? [] : [{ command, rank }];
  });
  const groups = Map.groupBy(ranked, ({ command }) => command.group);
  const best = (list: readonly { rank: number }[]) => Math.min(...list.map(({ rank }) => rank));
  return [...groups]
    .toSorted(([, a], [, b]) => best(a) - best(b))
    .map(([group, list]) => [
      group,
      list
        .toSorted((a, b) => a.rank - b.rank)
        .slice(0, group === 'Pages' && text === '' ? 20 : MOST)
        .map(({ command }) => command),
    ]);
}

/** The pieces of a label around what was typed, which is shown in the accent. */
export function pieces(label: string, text: string): [before: string, hit: string, after: string] {
  const at = text === '' ? -1 : label.toLowerCase().indexOf(text.toLowerCase());
  if (at < 0) return [label, '', ''];
  return [label.slice(0, at), label.slice(at, at + text.length), label.slice(at + text.length)];
}
