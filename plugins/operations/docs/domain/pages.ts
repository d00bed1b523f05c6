import { extname } from 'node:path';
import { HTML, type HttpPage, type PageFile, staticFiles } from '../../../platform/http/contract.ts';

const NOT_BUILT = Buffer.from(`<!doctype html><title>svc</title>
<p>The documentation was not built. In a clone of the project, <code>npm run docs</code> builds it; you do not need to restart the server.</p>`);

/** The pages have their addresses below `/docs/`, so that `/docs` leads there. */
const ENTRY = Buffer.from(`<!doctype html><title>svc</title><meta http-equiv="refresh" content="0; url=/docs/">
<p><a href="/docs/">Documentation</a></p>`);

/** Serves the site in this folder under `/docs`. A page has no ending in its address: `/docs/scripts`. */
export function docsPages(folder: string): HttpPage[] {
  const file = staticFiles(folder, { built: true });
  const page = async (path: string): Promise<PageFile | undefined> => {
    const found = await file(path === '' ? 'index.html' : path);
    if (found || extname(path) !== '') return found;
    return file(`${path.replace(/\/$/, '')}.html`);
  };
  return [
    { path: '/docs', serve: async () => ({ body: ENTRY, type: HTML }) },
    {
      path: '/docs/*',
      serve: async (path) => {
        const name = path.slice('/docs/'.length);
        const found = await page(name);
        if (found || extname(name) !== '') return found;
        const none = await file('404.html');
        return none ? { ...none, status: 404 } : { body: NOT_BUILT, type: HTML };
      },
    },
  ];
}
