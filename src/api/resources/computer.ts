import * as z from 'zod/mini';
import { oneLine } from '../../util/text';
import { decodeRows } from '../decode';
import { list, numbers, openObject, texts } from '../tolerant';

/** A step of setting a computer up; `status` is open, `startedAt` and `completedAt` are Unix ms (section 2.10). */
export type ProvisioningStep = z.output<typeof stepSchema>;
/** Section 2.10. `createdAt` is Unix ms; relay addresses arrive redacted. */
export type Computer = z.output<typeof computerSchema>;

const stepSchema = openObject({
  ...texts('id', 'name', 'status', 'error'),
  ...numbers('startedAt', 'completedAt'),
});

export const computerSchema = openObject({
  id: z.string(),
  ...texts('name', 'providerType', 'hostname', 'status', 'relayClientUrl', 'relayAgentUrl', 'remoteUser'),
  ...numbers('createdAt'),
  provisioningSteps: list(stepSchema),
});

/** Computers that were stored, as far as they can be read. */
export function readComputers(value: unknown): readonly Computer[] {
  return decodeRows(computerSchema, Array.isArray(value) ? (value as unknown[]) : []).items;
}

/** What a computer goes by: its name, else its host's, else its id. */
export function computerName({ name, hostname, id }: Pick<Computer, 'id' | 'name' | 'hostname'>): string {
  return oneLine(name ?? '') || oneLine(hostname ?? '') || oneLine(id);
}
