import type { OutlineItem } from '../../../../engine/runs/contract.ts';
import { verbs as own } from '../../cli/verbs.ts';
import type { VerbHelp } from '../../contract/verb.ts';

const text = { type: 'string' } as const;
/** Verbs of other plugins, as far as an outline reads their help. */
const others: readonly VerbHelp[] = [
  { verb: 'emit', usage: 'svc emit <type>', summary: '', flags: { payload: text } },
  { verb: 'wait-event', usage: '', summary: '', flags: { when: text, untrusted: { type: 'boolean' } } },
  { verb: 'lock', usage: 'svc lock <group> [-- <command>]', summary: '' },
  { verb: 'id-token', usage: '', summary: '', flags: { audience: text } },
  { verb: 'activity', usage: 'svc activity <name> -- <command>', summary: '', flags: { requires: text } },
  { verb: 'activity-submit', usage: 'svc activity-submit <name> -- <command>', summary: '', flags: { requires: text } },
  { verb: 'call', usage: '', summary: '', flags: { config: text, definition: text, input: text } },
];
const known: readonly VerbHelp[] = own;

export const VERBS: ReadonlyMap<string, VerbHelp> = new Map([...known, ...others].map((help) => [help.verb, help]));

/** Writes an item in one line: `2 emit a`. What is unknown is `2 ?`. */
export function shortItem(item: OutlineItem): string {
  const { line } = item;
  switch (item.does) {
    case 'unknown':
      return `${line} ?`;
    case 'emit':
      return `${line} emit ${item.type}`;
    case 'wait':
      return `${line} wait ${item.type}${item.when === undefined ? '' : ` when ${item.when}`}${item.untrusted ? ' untrusted' : ''}`;
    case 'call':
      return `${line} call ${JSON.stringify(item.workflow)}`;
    default:
      return `${line} ${item.does}${'name' in item ? ` ${item.name}` : ''}`;
  }
}
