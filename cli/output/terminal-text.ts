import { StringDecoder } from 'node:string_decoder';
import pc from 'picocolors';

/**
 * Makes text safe for a terminal. Names, logs and answers come from runs, agents and other systems: their control characters
 * could move the cursor, change the title, hide a line or reverse it, so they are printed as `\u001b`. JSON stays valid JSON.
 */

const COLOURS = ['bold', 'dim', 'red', 'green', 'yellow', 'blue', 'cyan'] as const;
export type Colours = Readonly<Record<(typeof COLOURS)[number], (text: string) => string>>;

const ESC = '\u001b';

/** C0 controls except tab and line feed, DEL, C1 controls, and bidirectional controls. */
const CONTROLS = /[^\P{Cc}\t\n]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

const patternsOf = (our_colour: string) => ({
  our_colour: new RegExp(our_colour, 'g'),
  in_a_text: new RegExp(`${our_colour}|\\r\\n|${CONTROLS.source}`, 'gu'),
});

/** Until we colour anything, no colour can be ours. */
let patterns = patternsOf('((?!))');
let colour_id: string | undefined;

/**
 * An extra parameter in our own colour sequences. Foreign text cannot know it, so its colours can be told from ours. It is
 * created when it is first needed: most commands use no colour, and loading node:crypto takes a twentieth of their time.
 */
function colourId(): string {
  if (colour_id === undefined) {
    const { randomBytes } = process.getBuiltinModule('node:crypto');
    colour_id = BigInt(`0x${randomBytes(8).toString('hex')}`).toString();
    patterns = patternsOf(`(${ESC}\\[\\d+);${colour_id}m`);
  }
  return colour_id;
}

/** Returns functions that colour a text. `escapeText` and `stripColourIds` remove the extra parameter again. */
export function ourColours(enabled: boolean): Colours {
  const painters = pc.createColors(enabled);
  const entries = COLOURS.map((name) => {
    const [begin = '', end = ''] = painters[name]('\0').split('\0');
    return [name, (text: string) => `${tagColours(begin)}${text}${tagColours(end)}`] as const;
  });
  return Object.fromEntries(entries) as unknown as Colours;
}

/** Marks every colour in the text as ours. */
export const tagColours = (text: string): string =>
  text.includes(ESC) ? text.replaceAll(ANY_COLOUR, `$1;${colourId()}m`) : text;
const ANY_COLOUR = new RegExp(`(${ESC}\\[\\d+)m`, 'g');

export const stripColourIds = (text: string): string => text.replaceAll(patterns.our_colour, '$1m');

const escapeControl = (control: string): string => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Preserves our own colours and makes everything else visible that a terminal would act on. */
export function escapeText(text: string): string {
  return text.replaceAll(patterns.in_a_text, (match, colour?: string) => {
    if (colour !== undefined) return `${colour}m`;
    return match === '\r\n' ? '\n' : escapeControl(match);
  });
}

/** Colours and weights in a log are preserved, except the one that hides text (8). */
const LOG_COLOUR = `${ESC}\\[(?!(?:[\\d;:]*[;:])?0*8[;:m])[\\d;:]*m`;
const IN_A_LOG = new RegExp(`(${LOG_COLOUR})|\\r\\n|${CONTROLS.source}`, 'gu');
/** A sequence that the next bytes may complete. Colour sequences of up to 32 characters are waited for. */
const UNFINISHED = new RegExp(`(?:${ESC}(?:\\[[\\d;:]{0,32})?|\r)$`);

/** Converts the bytes of a log to text for a terminal, wherever their chunks begin and end. */
export class LogText {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  write(bytes: Buffer): string {
    const text = this.#rest + this.#decoder.write(bytes);
    const end = text.search(UNFINISHED);
    this.#rest = end < 0 ? '' : text.slice(end);
    return escapeLog(end < 0 ? text : text.slice(0, end));
  }

  /** Returns what is still buffered. */
  end(): string {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = '';
    return escapeLog(rest);
  }
}

const escapeLog = (text: string): string =>
  text.replaceAll(IN_A_LOG, (match, colour?: string) => {
    if (colour !== undefined) return match;
    return match === '\r\n' ? '\n' : escapeControl(match);
  });
