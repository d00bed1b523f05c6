// What VitePress reads. docs/site/build.ts stages the pages and writes what the sidebar holds before it starts VitePress.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformerStyleToClass } from '@shikijs/transformers';
import { defineConfig } from 'vitepress';
import type { Staged } from '../build.ts';
import { anchorOf } from '../anchors.ts';

const staged = JSON.parse(readFileSync(join(import.meta.dirname, '../dist/site.json'), 'utf8')) as Staged;

/** The content security policy of the server allows no style attributes, so that colours of code are classes. */
const styleToClass = transformerStyleToClass({ classPrefix: 'c-' });

/** `<run>` in a sentence is text and no element, `ci.sh` is no address, and braces are text too. */
const WRITTEN = { html: false, linkify: false, attrs: { disable: true }, anchor: { slugify: anchorOf } };

const withoutColours = (code: string): string =>
  `<pre>${code.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</pre>`;

export default defineConfig({
  title: 'svc',
  description: 'Durable workflows in any language.',
  lang: 'en',
  base: '/docs/',
  srcDir: 'dist/pages',
  outDir: staged.out,
  cleanUrls: true,
  metaChunk: true,
  // A change of the theme without transitions adds a style element, which the policy of the server does not allow.
  appearance: { disableTransition: false },
  cacheDir: 'dist/cache',
  vite: { logLevel: 'warn', build: { chunkSizeWarningLimit: 4000 } },
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/docs/icon.svg' }]],
  markdown: {
    ...WRITTEN,
    codeTransformers: [styleToClass],
    languageAlias: { console: 'shellsession', cel: 'js' },
    config: (md) => {
      // Vue would evaluate `{{ }}` in a sentence.
      for (const rule of ['text', 'code_inline'] as const) {
        const rendered = md.renderer.rules[rule]!;
        md.renderer.rules[rule] = (...args) => rendered(...args).replaceAll('{{', '&#123;&#123;');
      }
    },
  },
  transformPageData: (page) => ({ filePath: (page.frontmatter.source as string | undefined) ?? '' }),
  // A function of the theme's configuration would be evaluated from text in the browser.
  themeConfig: {
    logo: '/icon.svg',
    outline: { level: [2, 3] },
    search: {
      provider: 'local',
      options: {
        miniSearch: { searchOptions: { combineWith: 'AND', fuzzy: 0.1, boost: { title: 6, titles: 3, text: 1 } } },
        // The index needs words and anchors; colours of code would take half of the time of the whole build.
        _render(text, env, md) {
          const { highlight } = md.options;
          try {
            const html = md.set({ highlight: withoutColours }).render(text, env);
            return env.frontmatter?.search === false ? '' : html;
          } finally {
            md.set({ highlight });
          }
        },
      },
    },
    nav: [
      { text: 'Get started', link: '/start' },
      { text: 'Tutorials', link: '/tutorials/deploy-approval', activeMatch: '/tutorials/' },
      { text: 'Commands', link: '/cli/verbs', activeMatch: '/cli/' },
      { text: 'API', link: '/api/overview', activeMatch: '/api/' },
      { text: 'Errors', link: '/errors' },
      { text: `v${staged.version}`, link: '/changelog' },
    ],
    sidebar: staged.sidebar,
    ...(staged.edit_link && { editLink: { pattern: staged.edit_link, text: 'Edit this page' } }),
    docFooter: { prev: 'Previous', next: 'Next' },
  },
  async buildEnd() {
    const { writeFile } = await import('node:fs/promises');
    await writeFile(join(staged.out, 'code.css'), styleToClass.getCSS());
  },
});
