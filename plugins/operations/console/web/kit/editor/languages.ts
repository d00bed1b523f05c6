import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import type { Extension } from '@codemirror/state';
import type { DocumentLanguage } from './language.ts';
import { CODE, program, SHELL } from './program.ts';

const LANGUAGES: Record<DocumentLanguage, () => Extension> = {
  yaml,
  json,
  shell: () => program(SHELL),
  code: () => program(CODE),
  text: () => [],
};

export const extensionOf = (language: DocumentLanguage): Extension => LANGUAGES[language]();
