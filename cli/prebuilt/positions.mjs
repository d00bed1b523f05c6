// Maps lines of a prebuilt file to its sources, for stack traces. The table has entries of five numbers, sorted: line and column of the
// file, index of the source, line and column there. It stays on the disk, because it is large and seldom needed. The list of sources
// says with which positions its chunks begin.
const { closeSync, openSync, readFileSync, readSync } = process.getBuiltinModule('node:fs');
const { join } = process.getBuiltinModule('node:path');
const { pathToFileURL } = process.getBuiltinModule('node:url');

const FIELDS = 5;
/** How many numbers a chunk has. */
const CHUNK = 512 * FIELDS;
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Uint8Array(128);
for (let index = 0; index < 64; index += 1) VALUES[DIGITS.charCodeAt(index)] = index;

/** The table of a source map. It has an entry for the start of each line of the file, and where the line of the source changes. */
export function tableOf({ mappings, widened }) {
  // A mapping takes five characters or more, or shares its four with a comma.
  const table = new Uint32Array((mappings.length / 5 + 1) * FIELDS);
  let [line, column, source, source_line, source_column] = [0, 0, 0, 0, 0];
  let [length, at] = [0, 0];
  let [last, last_source] = [-1, -1];
  const readNumber = () => {
    let value = 0;
    for (let shift = 0; ; shift += 5) {
      const digit = VALUES[mappings.charCodeAt(at++)];
      value += (digit & 31) << shift;
      if ((digit & 32) === 0) return value & 1 ? -(value >> 1) : value >> 1;
    }
  };
  const isEnd = () =>
    at === mappings.length || mappings.charCodeAt(at) === COMMA || mappings.charCodeAt(at) === SEMICOLON;
  while (at < mappings.length) {
    if (mappings.charCodeAt(at) === SEMICOLON) {
      line += 1;
      column = 0;
      last = -1;
      at += 1;
      continue;
    }
    if (mappings.charCodeAt(at) === COMMA) {
      at += 1;
      continue;
    }
    column += readNumber();
    source += readNumber();
    source_line += readNumber();
    source_column += readNumber();
    // The index of a name.
    if (!isEnd()) readNumber();
    if (source_line === last && source === last_source) continue;
    [last, last_source] = [source_line, source];
    table.set([line, column + growth(widened.get(line), column), source, source_line, source_column], length);
    length += FIELDS;
  }
  return table.subarray(0, length);
}

const COMMA = 44;
const SEMICOLON = 59;

/** By how many characters the text before the column has grown. */
const growth = (columns, column) =>
  columns === undefined ? 0 : columns.filter((one) => one < column).length * (ESCAPED - 1);
const ESCAPED = '\\u0000'.length;

/** Encodes each entry as its difference to the one before it in its chunk, which compresses to a third. */
export function encodeTable(table) {
  const beginsChunk = (index) => index % CHUNK < FIELDS;
  const deltas = Int32Array.from(table, (number, index) =>
    beginsChunk(index) ? number : number - table[index - FIELDS],
  );
  return new Uint8Array(deltas.buffer);
}

/** The lines and columns with which the chunks of the table begin. */
export function chunkStarts(table) {
  const starts = [];
  for (let at = 0; at < table.length; at += CHUNK) starts.push(table[at], table[at + 1]);
  return starts;
}

/** The index of the last entry that is not after the position; -1 if all are. */
function lastIndexUpTo(numbers, width, line, column) {
  let [low, high] = [0, numbers.length / width];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = middle * width;
    if (numbers[at] > line || (numbers[at] === line && numbers[at + 1] > column)) high = middle;
    else low = middle + 1;
  }
  return low - 1;
}

/** The position in the source, counted from 1 as V8 does; undefined for code that esbuild added. */
function find(path, starts, line, column) {
  const chunk = lastIndexUpTo(starts, 2, line - 1, column - 1);
  if (chunk < 0) return undefined;
  const numbers = new Int32Array(CHUNK);
  const file = openSync(path);
  try {
    const bytes = readSync(file, new Uint8Array(numbers.buffer), 0, numbers.byteLength, chunk * numbers.byteLength);
    for (let index = FIELDS; index < bytes / 4; index += 1) numbers[index] += numbers[index - FIELDS];
    const at = FIELDS * lastIndexUpTo(numbers.subarray(0, bytes / 4), FIELDS, line - 1, column - 1);
    if (numbers[at] !== line - 1) return undefined;
    return { source: numbers[at + 2], line: numbers[at + 3] + 1, column: numbers[at + 4] + 1 };
  } finally {
    closeSync(file);
  }
}

/**
 * Makes stack traces name the sources instead of the prebuilt files. `files` has the digest with which each of these files was
 * loaded, by its path: another start may have replaced the positions meanwhile.
 */
export function mapStacksToSources(home, files) {
  const cached = new Map();
  const toSource = (text, path, line, column) => {
    if (!files.has(path)) return text;
    if (!cached.has(text)) {
      if (cached.size === MAX_CACHED) cached.clear();
      cached.set(text, sourceOf(home, path, files.get(path), Number(line), Number(column)) ?? text);
    }
    return cached.get(text);
  };
  Error.prepareStackTrace = (error, frames) =>
    [headOf(error), ...frames.map((frame) => `    at ${frame}`.replace(POSITION, toSource))].join('\n');
}

const MAX_CACHED = 5000;
const POSITION = /(\/[^:()]*\.js):(\d+):(\d+)/;

/** The first line as V8 writes it, also if `error` is not an error. */
function headOf(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return '<error>';
  }
}

const lists = new Map();

function sourcesOf(base) {
  if (!lists.has(base)) lists.set(base, JSON.parse(readFileSync(`${base}.sources.json`, 'utf8')));
  return lists.get(base);
}

function sourceOf(home, path, digest, line, column) {
  const base = path.slice(0, -'.js'.length);
  try {
    const { digest: current, sources, starts } = sourcesOf(base);
    if (current !== digest) return undefined;
    const found = find(`${base}.positions`, starts, line, column);
    return found && `${pathToFileURL(join(home, sources[found.source])).href}:${found.line}:${found.column}`;
  } catch {
    // The files of this version have been removed, and the position in the prebuilt file is still right.
    return undefined;
  }
}
