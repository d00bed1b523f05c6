const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = [0x5b, 0x7b];
const CLOSE = [0x5d, 0x7d];

/** The JSON of a value; undefined when it is nested too deeply to be written. */
export function jsonOf(value: unknown): Buffer | undefined {
  try {
    return Buffer.from(JSON.stringify(value));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** True when JSON that `JSON.stringify` wrote nests deeper than the limit. */
export function nestsDeeper(json: Buffer, levels: number): boolean {
  let inside = false;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!;
    if (inside) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inside = false;
    } else if (byte === QUOTE) inside = true;
    else if (byte === OPEN[0] || byte === OPEN[1]) {
      if (++depth > levels) return true;
    } else if (byte === CLOSE[0] || byte === CLOSE[1]) depth--;
  }
  return false;
}
