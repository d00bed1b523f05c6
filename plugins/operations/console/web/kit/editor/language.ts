export type DocumentLanguage = 'yaml' | 'json' | 'shell' | 'code' | 'text';

/** By the ending of the file's name; a document without a name that begins as an object is taken for JSON. */
export function languageOf(filename: string, text: string): DocumentLanguage {
  const [, ending] = /\.(ya?ml|json)$/i.exec(filename) ?? [];
  if (ending) return ending.toLowerCase() === 'json' ? 'json' : 'yaml';
  return filename === '' && /^\s*\{/.test(text) ? 'json' : 'text';
}
