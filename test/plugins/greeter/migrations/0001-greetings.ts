import { migration } from 'svc/plugin';

export const greetingTable = migration('0001-greetings', [
  `CREATE TABLE greeter_greetings (
    project_id {id} NOT NULL, name {id} NOT NULL, greeted {int} NOT NULL,
    PRIMARY KEY (project_id, name)
  ){end}`,
]);
