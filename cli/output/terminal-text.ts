import { StringDecoder } from 'node:string_decoder';
import pc from 'picocolors';

/**
 * Text for a terminal. Names, logs and answers come from runs, agents and far ends: on a terminal their control
 * characters could move the cursor, change the title, hide a line or turn it around, so they are shown as `\u001b`.
 * JSON stays JSON by that.
 */

const COLOURS = ['bold', 'dim', 'red', 'green', 'yellow', 'blue', 'cyan'] as const;
export type Colours = Readonly<Record<(typeof COLOURS)[number], (text: string) => string>>;

const ESC = '\u001b';

/** C0 without tab and line feed, DEL, C1, and what changes the direction of a line. */
const CONTROLS = /[^\P{Cc}\t\n]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

const patternsOf = (our_colour: string) => ({
  our_colour: new RegExp(our_colour, 'g'),
  in_a_text: new RegExp(`${our_colour}|\\r\\n|${CONTROLS.source}`, 'gu'),
});

/** Before we colour anything, no colour is ours. */
let patterns = patternsOf('((?!))');
let mark: string | undefined;

/**
 * A further parameter of our own colours. Foreign text cannot know it, so its colours are told apart from ours. It is made
 * when it is needed: most commands colour nothing, and the module for it takes a twentieth of their time.
 */
function ownMark(): string {
  if (mark === undefined) {
    const { randomBytes } = process.getBuiltinModule('node:crypto');
    mark = BigInt(`0x${randomBytes(8).toString('hex')}`).toString();
    patterns = patternsOf(`(${ESC}\\[\\d+);${mark}m`);
  }
  return mark;
}

/** Functions that colour a text; `shownText` and `withoutMarks` take away the mark that they leave. */
export function ourColours(enabled: boolean): Colours {
  const painters = pc.createColors(enabled);
  const entries = COLOURS.map((name) => {
    const [begin = '', end = ''] = painters[name]('\0').split('\0');
    return [name, (text: string) => `${marked(begin)}${text}${marked(end)}`] as const;
  });
  return Object.fromEntries(entries) as unknown as Colours;
}

/** Takes every colour in the text for ours. */
export const marked = (text: string): string =>
  text.includes(ESC) ? text.replaceAll(ANY_COLOUR, `$1;${ownMark()}m`) : text;
const ANY_COLOUR = new RegExp(`(${ESC}\\[\\d+)m`, 'g');

export const withoutMarks = (text: string): string => text.replaceAll(patterns.our_colour, '$1m');

const named = (control: string): string => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A text with our own colours, and everything else that a terminal would obey made visible. */
export function shownText(text: string): string {
  return text.replaceAll(patterns.in_a_text, (found, colour?: string) => {
    if (colour !== undefined) return `${colour}m`;
    return found === '\r\n' ? '\n' : named(found);
  });
}

/** Colours and weights of a log are kept, but for those that hide the text (8). */
const LOG_COLOUR = `${ESC}\\[(?!(?:[\\d;:]*[;:])?0*8[;:m])[\\d;:]*m`;
const IN_A_LOG = new RegExp(`(${LOG_COLOUR})|\\r\\n|${CONTROLS.source}`, 'gu');
/** What the next bytes may complete. The longest sequence of a colour that is waited for has 32 characters. */
const UNFINISHED = new RegExp(`(?:${ESC}(?:\\[[\\d;:]{0,32})?|\r)$`);

/** The bytes of a log as text for a terminal, whatever the borders of their chunks. */
export class LogText {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  shown(bytes: Buffer): string {
    const text = this.#rest + this.#decoder.write(bytes);
    const cut = text.search(UNFINISHED);
    this.#rest = cut < 0 ? '' : text.slice(cut);
    return visible(cut < 0 ? text : text.slice(0, cut));
  }

  /** What was held back. */
  end(): string {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = '';
    return visible(rest);
  }
}

const visible = (text: string): string =>
  text.replaceAll(IN_A_LOG, (found, colour?: string) => {
    if (colour !== undefined) return found;
    return found === '\r\n' ? '\n' : named(found);
  });
