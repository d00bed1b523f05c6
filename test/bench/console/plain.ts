import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The floor of a page: a table of the same rows in plain HTML, made before it is asked for. */
export interface PlainPages {
  url: string;
  close(): Promise<void>;
}

const cell = (text: string | number) => `<td>${text}`;

/** `/<name>` for each table and each further page, and `/nothing`, an empty page. */
export async function servePlain(
  tables: Readonly<Record<string, readonly (readonly (string | number)[])[]>>,
  further: Readonly<Record<string, string>> = {},
): Promise<PlainPages> {
  const pages = new Map(
    Object.entries(tables).map(([name, rows]) => [
      `/${name}`,
      `<!doctype html><title>${name}</title><table>${rows.map((row) => `<tr>${row.map(cell).join('')}`).join('\n')}</table><p id=end>`,
    ]),
  );
  for (const [name, html] of Object.entries(further)) pages.set(`/${name}`, html);
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(pages.get(request.url ?? '') ?? '<!doctype html><p id=end>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve, reject) => server.close((error) => (error ? reject(error) : resolve()))),
  };
}

export const PLAIN_READY = "document.querySelector('#end') !== null";
