/** A piece of a line with one look. */
export interface Piece {
  text: string;
  /** `bold`, `faint`, `italic`, `underline`, `fg-1`, `bg-9`…: names of classes. */
  look: string;
}

interface Look {
  fg?: number;
  bg?: number;
  flags: Set<string>;
}

const ESCAPE = '\u001b';
/** Colours and everything else that a terminal would carry out; only colours are read, all are removed. */
const SEQUENCE = new RegExp(
  `${ESCAPE}(?:\\[([0-9;:]*)m|\\[[0-9;:?<=>]*[ -/]*[@-~]|[\\]PX^_][^\\u0007${ESCAPE}]*(?:\\u0007|${ESCAPE}\\\\)|[ -/]*[0-~])`,
  'g',
);
const OTHER_CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
const FLAGS: Record<number, string> = { 1: 'bold', 2: 'faint', 3: 'italic', 4: 'underline', 9: 'struck' };
const WITHOUT: Record<number, readonly string[]> = {
  22: ['bold', 'faint'],
  23: ['italic'],
  24: ['underline'],
  29: ['struck'],
};

/** The text as it would stand on a terminal that has no colours. */
export const plain = (text: string): string => text.replace(SEQUENCE, '').replace(OTHER_CONTROLS, '');

/**
 * Reads the colours of a log, line by line. The look goes on from one line to the next, as on a terminal. What moves the
 * cursor, sets titles or clears the screen has no effect.
 */
export class Ansi {
  #look: Look = { flags: new Set() };

  line(text: string): Piece[] {
    const pieces: Piece[] = [];
    let from = 0;
    const push = (until: number) => {
      const part = afterReturns(text.slice(from, until)).replace(OTHER_CONTROLS, '');
      if (part !== '') pieces.push({ text: part, look: classes(this.#look) });
    };
    for (const found of text.matchAll(SEQUENCE)) {
      push(found.index);
      from = found.index + found[0].length;
      if (found[1] !== undefined) this.#set(found[1]);
    }
    push(text.length);
    return pieces;
  }

  #set(codes: string): void {
    const list = codes.split(/[;:]/).map(Number);
    for (let at = 0; at < list.length; at++) {
      const code = list[at]!;
      if (code === 38 || code === 48) {
        // 5;n is one of 256 colours, of which the first sixteen are shown; 2;r;g;b is any.
        const [kind, n] = [list[at + 1], list[at + 2]];
        if (kind === 5 && n !== undefined && n < 16) this.#look[code === 38 ? 'fg' : 'bg'] = n;
        at += kind === 5 ? 2 : 4;
      } else this.#one(code);
    }
  }

  #one(code: number): void {
    const look = this.#look;
    if (code === 0) this.#look = { flags: new Set() };
    else if (FLAGS[code]) look.flags.add(FLAGS[code]);
    else if (WITHOUT[code]) for (const flag of WITHOUT[code]) look.flags.delete(flag);
    else if (code === 39) delete look.fg;
    else if (code === 49) delete look.bg;
    else if (code >= 30 && code <= 37) look.fg = code - 30;
    else if (code >= 40 && code <= 47) look.bg = code - 40;
    else if (code >= 90 && code <= 97) look.fg = code - 82;
    else if (code >= 100 && code <= 107) look.bg = code - 92;
  }
}

/** A progress bar writes its line again and again: the last one stays. */
function afterReturns(text: string): string {
  const kept = text.endsWith('\r') ? text.slice(0, -1) : text;
  return kept.slice(kept.lastIndexOf('\r') + 1);
}

function classes({ fg, bg, flags }: Look): string {
  return [fg === undefined ? '' : `fg-${fg}`, bg === undefined ? '' : `bg-${bg}`, ...flags].filter(Boolean).join(' ');
}
