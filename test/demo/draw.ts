import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Draws the demonstration as a terminal: `node test/demo/draw.ts` runs it and writes session.svg, the README's picture. */
const LINE = 18;
const LEFT = 20;
const TOP = 52;

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Bold lines are the story's headings. */
function line(text: string, index: number): string {
  const bare = stripVTControlCharacters(text);
  const style = bare !== text ? 'fill="#7ee787" font-weight="bold"' : 'fill="#e6edf3"';
  return `<text x="${LEFT}" y="${TOP + index * LINE}" ${style} xml:space="preserve">${escaped(bare)}</text>`;
}

function draw(lines: readonly string[]): string {
  const width = Math.max(...lines.map((text) => text.length)) * 7.9 + 2 * LEFT;
  const height = TOP + lines.length * LINE + 6;
  const lights = ['#ff5f57', '#febc2e', '#28c840'].map(
    (colour, index) => `<circle cx="${LEFT + 4 + index * 20}" cy="20" r="6" fill="${colour}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.ceil(width)}" height="${height}" font-family="ui-monospace, 'DejaVu Sans Mono', monospace" font-size="13">`,
    `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>`,
    ...lights,
    ...lines.map(line),
    '</svg>\n',
  ].join('\n');
}

const { stdout, stderr, status } = spawnSync(process.execPath, [join(import.meta.dirname, 'demo.ts')], {
  encoding: 'utf8',
});
if (status !== 0) throw new Error(stderr);
const lines = stdout
  .replaceAll(/svc-demo-\w+/g, 'svc-demo')
  .split('\n')
  .map((text) => text.trimEnd())
  .filter((text, index, all) => text !== '' || all[index - 1] !== '');
writeFileSync(join(import.meta.dirname, 'session.svg'), draw(lines.slice(1)));
