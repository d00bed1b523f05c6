import { isUtf8 } from 'node:buffer';
import { iso } from '../../../kernel/contracts/index.ts';
import { siteOf } from '../contract.ts';
import type { CellRecord } from '../generated/cell.ts';
import type { StepRecord } from '../generated/step.ts';
import type { Step } from '../store/steps.ts';

export type StepChild = NonNullable<StepRecord['child']>;
export type ShownStep = Step & Pick<StepRecord, 'child' | 'run'>;

export interface Cell {
  entity: string;
  key: string;
  value?: string;
  updated_at: number;
}

const time = (ms: number | null | undefined): string | undefined => (ms == null ? undefined : iso(ms));

export function renderStep(step: ShownStep): StepRecord {
  const { position, kind, name, ordinal, recorded } = step;
  return {
    position,
    kind,
    name,
    ordinal,
    site: siteOf(step),
    label: step.label ?? undefined,
    status: recorded ? 'recorded' : 'waiting',
    ...(recorded && renderRecorded(recorded)),
    started_at: iso(step.started_at),
    recorded_at: time(recorded?.at),
    deadline: time(step.deadline),
    child: step.child,
    run: step.run,
    pass: step.epoch,
    activity_id: step.activity_id,
    activity: step.activity,
  };
}

function renderRecorded({ exit_code, output, message }: NonNullable<Step['recorded']>) {
  const stdout = isUtf8(output) ? { stdout: output.toString() } : { stdout_base64: output.toString('base64') };
  return { exit_code, ...stdout, message: message ?? undefined };
}

export const renderCell = ({ updated_at, ...cell }: Cell): CellRecord => ({ ...cell, updated_at: iso(updated_at) });
