/** Larger ones are downloaded. */
export const MAX_SHOWN_BYTES = 256 * 1024;

/** Of pictures, as files. */
export const MAX_PICTURE_BYTES = 8 * 1024 * 1024;

/** SVG is not among them: it is a document, and is shown as its source. */
const PICTURES = /\.(png|jpe?g|gif|webp|avif|bmp)$/i;
const TEXTS =
  /\.(txt|log|md|markdown|json|jsonl|ya?ml|xml|csv|tsv|toml|ini|cfg|conf|env|html?|css|svg|sh|bash|py|[cm]?[jt]sx?|go|rs|rb|java|c|h|cpp|sql|tap|diff|patch)$|(^|\/)(README|LICENSE|NOTICE|Makefile|Dockerfile)$/i;

export type View = 'text' | 'markdown' | 'picture';

/** How an artifact is shown in the page; undefined: it is downloaded. By its name alone: its content is a run's own. */
export function viewOf({ path, size }: { path: string; size: number }): View | undefined {
  if (PICTURES.test(path)) return size <= MAX_PICTURE_BYTES ? 'picture' : undefined;
  if (size > MAX_SHOWN_BYTES || !TEXTS.test(path)) return undefined;
  return /\.(md|markdown)$/i.test(path) ? 'markdown' : 'text';
}

/** Each part of the path by itself: a name may hold what has a meaning in an address. */
export const addressOf = (base: string, path: string): string =>
  `${base}/${path.split('/').map(encodeURIComponent).join('/')}`;

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB'];

/** `10 bytes`, `1.5 MiB`. */
export function sizeText(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1024 ** power).toFixed(1)} ${UNITS[power]}`;
}
