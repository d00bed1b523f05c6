import { saveFile } from '../kit/save-file.ts';

/** Gives a document to whoever looks, as a file. */
export const exportDocument = (name: string, document: unknown): void =>
  saveFile(`${name}.json`, `${JSON.stringify(document, null, 2)}\n`, 'application/json');
