import { Errors, iso, type ServiceError } from '../../../../kernel/contracts/index.ts';
import { readSince } from '../../../platform/schema/contract.ts';
import { ScheduleErrors } from '../errors.ts';
import type { BackfillScheduleBody } from '../generated/backfill-schedule.ts';
import { MAX_BACKFILL, MAX_WAITING } from '../store/waiting-ticks.ts';
import type { CronTimes } from './cron.ts';

/** Both ends belong to it. */
export interface DueRange {
  from: number;
  to: number;
}

/** Throws `invalid_request`. */
export function readRange(body: BackfillScheduleBody, now: number): DueRange {
  const from = readSince(body.from, now, 'from', '/from');
  const to = body.to === undefined ? now : readSince(body.to, now, 'to', '/to');
  const reject = (pointer: string, message: string) =>
    Errors.invalidRequest(`${pointer.slice(1)} ${message}`, { errors: [{ pointer, message }] });
  if (to > now) throw reject('/to', 'must not be in the future: later due times start automatically');
  if (from > to) throw reject('/from', 'must not be after the end of the range');
  return { from, to };
}

/** Throws `backfill_too_large`. */
export function listDues(times: CronTimes, { from, to }: DueRange): number[] {
  const dues: number[] = [];
  for (let due = times.after(from - 1); due !== undefined && due <= to; due = times.after(due)) {
    if (dues.length === MAX_BACKFILL)
      throw ScheduleErrors.backfillTooLarge(
        `the range contains more than ${MAX_BACKFILL} due times; the ${MAX_BACKFILL}th is at ${iso(dues.at(-1)!)}`,
      );
    dues.push(due);
  }
  return dues;
}

export const tooManyWaiting = (): ServiceError =>
  ScheduleErrors.backfillsFull(`${MAX_WAITING} due times of the project wait to start, which is the limit`);
