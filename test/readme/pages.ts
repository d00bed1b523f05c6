import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { clone } from '../../features/support/target.ts';

/** What people read: pages, READMEs, decisions. The feature files have READMEs of made-up repositories. */
export const PAGES: readonly string[] = globSync(
  ['*.md', 'docs/{,tutorials/}*.md', '{connectors,kernel,plugins,test}/**/*.md'].map((pattern) => join(clone, pattern)),
  { exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path) },
)
  .map((path) => relative(clone, path))
  .toSorted();

/** A table that is made of the error catalogue, and what manifests show, are texts of code. */
const GENERATED = /<!-- (errors|manifest) -->[\s\S]*<!-- \/\1 -->/g;

export const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ');

/** A page without its examples and generated parts; all else is at its line. */
export const withoutExamples = (markdown: string): string =>
  markdown.replaceAll(GENERATED, blank).replaceAll(/^ *```[\s\S]*?^ *```$/gm, blank);

export const read = (page: string): string => readFileSync(join(clone, page), 'utf8');

export const lineOf = (text: string, index: number): number => text.slice(0, index).split('\n').length;
