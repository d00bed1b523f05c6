// JSON whose whole numbers stay what they are: beyond 2^53 they are bigints. It uses nothing that Node 18 lacks.

const LONG = /\d{16}/;
/** A whole number of 16 digits or more, outside of texts. */
const LONG_NUMBER = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

/** As JSON.parse, but whole numbers beyond 2^53 are bigints. */
export function readJson(text) {
  const value = JSON.parse(text);
  if (!LONG.test(text)) return value;
  const mark = markFor(text);
  const marked = mapNumbers(text, (digits) => (Number.isSafeInteger(Number(digits)) ? digits : `"${mark}${digits}"`));
  if (marked === text) return value;
  writeBigInts();
  return JSON.parse(marked, (_, one) =>
    typeof one === 'string' && one.startsWith(mark) ? BigInt(one.slice(mark.length)) : one,
  );
}

/** As JSON.stringify, but bigints are whole numbers. Undefined for what is not JSON. */
export function writeJson(value) {
  try {
    return JSON.stringify(value);
  } catch (error) {
    const written = withBigInts(value);
    if (written === undefined) throw error;
    return written;
  }
}

/** A text that this text does not have. */
function markFor(text) {
  let mark = 'bigint:';
  while (text.includes(mark)) mark = `#${mark}`;
  return mark;
}

/** Changes long numbers, and no text. Texts are passed over by hand: an expression would overflow on a long one. */
function mapNumbers(text, change) {
  let mapped = '';
  let from = 0;
  while (from < text.length) {
    const quote = text.indexOf('"', from);
    const end = quote < 0 ? text.length : quote;
    mapped += text.slice(from, end).replace(LONG_NUMBER, change);
    from = quote < 0 ? end : endOfText(text, quote);
    mapped += text.slice(end, from);
  }
  return mapped;
}

function endOfText(text, quote) {
  for (let at = quote + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

/** Undefined where no bigint was the trouble. */
function withBigInts(value) {
  const texts = [];
  let found = 0;
  const collect = (_, one) => {
    if (typeof one === 'bigint') {
      found += 1;
      return 0;
    }
    if (typeof one === 'string') texts.push(one);
    return one;
  };
  try {
    JSON.stringify(value, collect);
  } catch {
    return undefined;
  }
  if (found === 0) return undefined;
  const mark = markFor(texts.join('\n'));
  const marked = JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${mark}${one}` : one));
  return marked.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
}

/**
 * A program that was given a bigint may write it with JSON.stringify, which throws unless it is told how. Where it can be
 * told and nobody has done so, bigints are written as the whole numbers that they are.
 */
function writeBigInts() {
  if (typeof JSON.rawJSON !== 'function' || 'toJSON' in BigInt.prototype) return;
  Object.defineProperty(BigInt.prototype, 'toJSON', {
    value() {
      return JSON.rawJSON(String(this));
    },
    configurable: true,
    writable: true,
  });
}
