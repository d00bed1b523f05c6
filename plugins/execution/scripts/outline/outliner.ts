import { createHash } from 'node:crypto';
import { BoundedMap } from '../../../../kernel/contracts/index.ts';
import type { OutlineItem, WorkflowDocument } from '../../../engine/runs/contract.ts';
import type { ScriptOutlines } from '../contract/outlines.ts';
import type { VerbHelp } from '../contract/verb.ts';
import { bundledFiles, parseBundle } from '../domain/bundled.ts';
import { chooseInterpreter, fileExtension } from '../domain/interpreter.ts';
import { languageOf, type Script, type TreeReader } from '../lint/tree-reader.ts';
import { outlineBash } from './bash-outline.ts';
import { outlineTree } from './tree-outline.ts';

const MAX_REMEMBERED = 5000;
const MAX_REMEMBERED_ITEMS = 200_000;
/** A script without any of these calls no verb and starts no program. */
const MAY_CALL =
  /svc|process|exec|spawn|popen|system|eval|runpy|\bvm\b|Function|Worker|import_*\(|import_module|require/;
/** Files beside a script that may be programs. */
const PROGRAM = /(?:^|\/)[^./]+$|\.(?:sh|bash|py|js|mjs|cjs|ts|mts|cts|rb|pl|go)$/i;
const MAX_NAMED = 5;

export interface OutlinerDeps {
  trees: Pick<TreeReader, 'read'>;
  verbs: () => readonly VerbHelp[];
}

type Program = Pick<WorkflowDocument, 'filename' | 'source' | 'interpreter' | 'files'>;

/** Reads what programs may do, and remembers it by their text. */
export class ScriptOutliner implements ScriptOutlines {
  readonly #deps: OutlinerDeps;
  readonly #cache = new BoundedMap<string, readonly OutlineItem[]>(MAX_REMEMBERED, {
    max_weight: MAX_REMEMBERED_ITEMS,
    weigh: (items) => items.length + 1,
  });

  constructor(deps: OutlinerDeps) {
    this.#deps = deps;
  }

  shell = (source: string, first_line?: number): OutlineItem[] => outlineBash(source, this.#verbs(), first_line);

  async script({ filename, source, interpreter, files = [] }: Program): Promise<readonly OutlineItem[]> {
    const beside = files.map(({ path }) => path).filter((path) => PROGRAM.test(path));
    const bundle = parseBundle(source);
    const sources = bundle
      ? bundledFiles(source)
      : { files: [{ path: undefined, source }], packages: [] as readonly string[] };
    const items: OutlineItem[] = [{ does: 'program' }];
    for (const file of sources.files) {
      const name = file.path ?? filename;
      const script = { filename: name, source: file.source, interpreter: chooseInterpreter(name, interpreter) };
      const found = await this.#outline(script);
      items.push(...(file.path === undefined ? found : found.map((item) => ({ ...item, file: file.path }))));
    }
    if (sources.packages.length > 0) items.push(unread('imports packages', sources.packages));
    if (beside.length > 0) items.push(unread('includes files', beside));
    return items;
  }

  async #outline(script: Script): Promise<readonly OutlineItem[]> {
    const language = languageOf(script);
    if (language === 'shell') return this.shell(script.source);
    if ('unread' in language) return [{ does: 'unknown', what: `svc cannot read the script: ${language.unread}` }];
    if (!MAY_CALL.test(script.source)) return [];
    const key = createHash('sha256')
      .update(`${language.code}\0${fileExtension(script.filename)}\0${script.source}`)
      .digest('base64');
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const read = await this.#deps.trees.read(language, script);
    if ('unread' in read) return [{ does: 'unknown', what: `svc cannot read the script: ${read.unread}` }];
    const items: readonly OutlineItem[] =
      'tree' in read
        ? outlineTree(read.tree, this.#verbs())
        : [{ does: 'unknown', what: `svc cannot read the script: it has a ${language.name} syntax error` }];
    this.#cache.set(key, items);
    return items;
  }

  #verbs(): ReadonlyMap<string, VerbHelp> {
    return new Map(this.#deps.verbs().map((help) => [help.verb, help]));
  }
}

function unread(does: string, names: readonly string[]): OutlineItem {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return { does: 'unknown', what: `${does} that svc does not read: ${names.slice(0, MAX_NAMED).join(', ')}${more}` };
}
