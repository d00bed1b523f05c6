// Books a journey at three places. When one of them refuses, what was booked before is cancelled, the last one first.
import { annotate, output, StepError, step } from 'svc/sdk';

interface Booking {
  what: string;
  reference: string;
}

const base = process.env.BOOKINGS_URL;

async function call(path: string, key: string): Promise<{ reference: string }> {
  const answer = await fetch(`${base}/${path}`, { method: 'POST', headers: { 'idempotency-key': key } });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return (await answer.json()) as { reference: string };
}

const booked: Booking[] = [];
try {
  for (const what of ['flight', 'hotel', 'car']) {
    const { reference } = await step(`book-${what}`, ({ idempotencyKey }) => call(`book/${what}`, idempotencyKey));
    booked.push({ what, reference });
  }
  await output.set({ outcome: 'booked', references: booked.map(({ reference }) => reference) });
} catch (error) {
  if (!(error instanceof StepError)) throw error;
  for (const { what, reference } of booked.toReversed())
    await step(`cancel-${what}`, ({ idempotencyKey }) => call(`cancel/${what}/${reference}`, idempotencyKey));
  await annotate(`Given up: ${error.reason}`);
  await output.set({ outcome: 'given-up', cancelled: booked.toReversed().map(({ what }) => what) });
}
