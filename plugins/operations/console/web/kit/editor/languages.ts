import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import type { Extension } from '@codemirror/state';
import type { DocumentLanguage } from './language.ts';

const LANGUAGES: Record<DocumentLanguage, () => Extension> = { yaml, json, text: () => [] };

export const extensionOf = (language: DocumentLanguage): Extension => LANGUAGES[language]();
