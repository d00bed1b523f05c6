import t from 'tap';
import { cronWords } from './cron-words.ts';

t.test('usual expressions are read as people say them', async (t) => {
  const words: [cron: string, says: string][] = [
    ['* * * * * *', 'Every second'],
    ['*/10 * * * * *', 'Every 10 seconds'],
    ['* * * * *', 'Every minute'],
    ['*/5 * * * *', 'Every 5 minutes'],
    ['0 * * * *', 'Every hour'],
    ['7 * * * *', 'Every hour at :07'],
    ['0 */6 * * *', 'Every 6 hours'],
    ['30 2 * * *', 'Every day at 02:30'],
    ['0 30 2 * * *', 'Every day at 02:30'],
    ['@daily', 'Every day at 00:00'],
    ['0 9 * * MON-FRI', 'Weekdays at 09:00'],
    ['0 9 * * mon,4,7', 'Every Monday, Thursday, Sunday at 09:00'],
    ['15 3 1 * *', 'Every month on day 1 at 03:15'],
  ];
  for (const [cron, says] of words) t.equal(cronWords(cron), says);
});

t.test('any other stays as it is', async (t) => {
  for (const cron of ['0 9 1-7 * MON', '0 0 29 2 *', '5,10 * * * *', '0 9 * * MON#1', '30 0 9 * * *', 'now and then'])
    t.equal(cronWords(cron), cron);
});
