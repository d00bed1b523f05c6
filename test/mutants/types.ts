import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import ts from 'typescript';

/** Checks the types of a file with another text than the one that it has. What others make of it is not looked at. */
export class Types {
  readonly #service: ts.LanguageService;
  readonly #texts = new Map<string, { text: string; version: number }>();
  #version = 0;

  constructor(config = 'tsconfig.json') {
    const path = resolve(config);
    const { config: json } = ts.readConfigFile(path, ts.sys.readFile) as { config: unknown };
    const { options, fileNames } = ts.parseJsonConfigFileContent(json, ts.sys, dirname(path));
    const textOf = (name: string): string | undefined => this.#texts.get(name)?.text ?? ts.sys.readFile(name);
    this.#service = ts.createLanguageService({
      getCompilationSettings: () => options,
      getScriptFileNames: () => fileNames,
      getScriptVersion: (name) => String(this.#texts.get(name)?.version ?? 0),
      getScriptSnapshot: (name) => {
        const text = textOf(name);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => dirname(path),
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      fileExists: ts.sys.fileExists,
      readFile: textOf,
      readDirectory: ts.sys.readDirectory,
      directoryExists: ts.sys.directoryExists,
      getDirectories: ts.sys.getDirectories,
      ...(ts.sys.realpath ? { realpath: ts.sys.realpath } : {}),
    });
  }

  /** The first error; undefined where there is none, and for files that are not of this program. */
  errorIn(file: string, change: (text: string) => string): string | undefined {
    const path = resolve(file);
    if (this.#service.getProgram()?.getSourceFile(path) === undefined) return undefined;
    this.#texts.set(path, { text: change(readFileSync(path, 'utf8')), version: ++this.#version });
    try {
      const [first] = [
        ...this.#service.getSyntacticDiagnostics(path),
        // A value or a parameter that is no longer used is for the lint to say: it changes nothing.
        ...this.#service.getSemanticDiagnostics(path).filter(({ code }) => !UNUSED.includes(code)),
      ];
      return first && ts.flattenDiagnosticMessageText(first.messageText, '\n');
    } finally {
      this.#texts.set(path, { text: readFileSync(path, 'utf8'), version: ++this.#version });
    }
  }
}

const UNUSED = [6133, 6192, 6196, 6198];
