import { migration, reordered } from '../../../../kernel/contracts/index.ts';

const BEGIN = 'UPDATE runs_annotations SET beginning = SUBSTR(text, 1, 201)';

/** Lists show the beginnings of notes, which are stored by themselves: to cut a note, a database reads all of it. */
export const beginnings = migration('0033-beginnings', {
  sqlite: [
    'ALTER TABLE runs_annotations ADD COLUMN beginning TEXT',
    BEGIN,
    ...reordered('runs_annotations', {
      columns: `run_id TEXT NOT NULL, activity_id TEXT NOT NULL, nth INTEGER NOT NULL, written_at INTEGER NOT NULL,
      beginning TEXT, text TEXT NOT NULL`,
      key: 'run_id, activity_id, nth',
      indexes: [],
    }),
  ],
  mysql: [...migration('', ['ALTER TABLE runs_annotations ADD COLUMN beginning {text}']).mysql, BEGIN],
});
