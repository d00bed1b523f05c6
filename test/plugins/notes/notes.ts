import { defineError, migration } from 'svc/plugin';
import { type NamedRow, NamedTable } from 'svc/resources';

export const NOTE = { noun: 'note', plural: 'notes' };

export interface NoteRow extends NamedRow {
  note_id: string;
  text: string;
  /** Epoch ms. */
  set_at: number;
}

const notesFull = defineError({
  code: 'notes_full',
  status: 409,
  title: 'The project has as many notes as it may have.',
  next: 'Remove notes that nobody reads any more (`svc note rm`).',
});

export const notes = new NamedTable<NoteRow>({
  ...NOTE,
  table: 'notes_notes',
  id: 'note_id',
  replaced: ['text', 'set_at'],
  max: { count: 100, full: notesFull },
});

export const noteTables = migration('0001-notes', [
  `CREATE TABLE notes_notes (
    project_id {id} NOT NULL, name {id} NOT NULL, org_id {id} NOT NULL, note_id {id} NOT NULL,
    text {text} NOT NULL, set_at {ms} NOT NULL, PRIMARY KEY (project_id, name)
  ){end}`,
  'CREATE INDEX notes_list ON notes_notes (project_id, note_id)',
]);
