export type DocumentLanguage = 'yaml' | 'json' | 'shell' | 'code' | 'text';

const BY_ENDING: Readonly<Record<string, DocumentLanguage>> = {
  ...{ yaml: 'yaml', yml: 'yaml', json: 'json', sh: 'shell', bash: 'shell' },
  ...{ js: 'code', mjs: 'code', cjs: 'code', ts: 'code', mts: 'code', py: 'code', go: 'code', rb: 'code', pl: 'code' },
};

const SHELL_SHEBANG = /^#!.*\b(?:ba|da|k|z)?sh\b/;

/** By the ending of the file's name, or by what the document begins with: a shell's shebang, or an object of JSON. */
export function languageOf(filename: string, text: string): DocumentLanguage {
  const ending = /\.(\w+)$/.exec(filename)?.[1]?.toLowerCase();
  if (ending !== undefined && Object.hasOwn(BY_ENDING, ending)) return BY_ENDING[ending]!;
  if (SHELL_SHEBANG.test(text)) return 'shell';
  return filename === '' && /^\s*\{/.test(text) ? 'json' : 'text';
}
