const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const SHORT = DAYS.map((day) => day.slice(0, 3).toUpperCase());
const NAMED: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

const NUMBER = /^\d+$/;
const STEP = /^\*\/(\d+)$/;

/** Describes a cron expression: `Every day at 02:30`. Returns an uncommon expression unchanged. */
export function cronWords(cron: string): string {
  const fields = (NAMED[cron] ?? cron).trim().split(/\s+/);
  // With six fields, the first one is for seconds.
  if (fields.length === 6) {
    const [second, ...rest] = fields;
    if (rest.every((one) => one === '*')) return every(second!, 'second') ?? cron;
    return second === '0' ? (wordsOf(rest) ?? cron) : cron;
  }
  return wordsOf(fields) ?? cron;
}

function wordsOf(fields: readonly string[]): string | undefined {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  if (fields.length !== 5 || month !== '*') return undefined;
  if (day === '*' && weekday === '*' && hour === '*')
    return NUMBER.test(minute) ? hourly(Number(minute)) : every(minute, 'minute');
  if (day === '*' && weekday === '*' && minute === '0' && STEP.test(hour)) return every(hour, 'hour');
  if (!NUMBER.test(minute) || !NUMBER.test(hour)) return undefined;
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (day === '*') return weekday === '*' ? `Every day at ${time}` : onDays(weekday, time);
  return weekday === '*' && NUMBER.test(day) ? `Every month on day ${Number(day)} at ${time}` : undefined;
}

function every(field: string, unit: string): string | undefined {
  if (field === '*') return `Every ${unit}`;
  const [, step] = STEP.exec(field) ?? [];
  if (step === undefined) return undefined;
  return step === '1' ? `Every ${unit}` : `Every ${Number(step)} ${unit}s`;
}

const hourly = (minute: number): string =>
  minute === 0 ? 'Every hour' : `Every hour at :${String(minute).padStart(2, '0')}`;

function onDays(field: string, time: string): string | undefined {
  const weekday = field.toUpperCase();
  if (weekday === 'MON-FRI' || weekday === '1-5') return `Weekdays at ${time}`;
  const names = weekday.split(',').map(dayName);
  if (names.some((name) => name === undefined)) return undefined;
  return `Every ${names.join(', ')} at ${time}`;
}

function dayName(text: string): string | undefined {
  if (NUMBER.test(text)) return DAYS[Number(text) % 7];
  return DAYS[SHORT.indexOf(text)];
}
