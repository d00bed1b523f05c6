import t from 'tap';
import { contestedPuts } from '../../../test/support/contested.ts';

await contestedPuts(t, { what: 'schedules', body: { cron: '@yearly' } });
