import * as vscode from 'vscode';
import type { ApiClient } from '../api';
import { errorSentence } from '../util/errorSentence';
import { firstPage, firstReport } from './check';
import type { Service } from './types';

/** One thing a key may be good for. */
export interface AccessRow {
  readonly what: string;
  readonly state: 'checking' | 'readable' | 'refused' | 'unknown';
  /** A sentence for people; empty while checking. */
  readonly detail: string;
}

interface Question {
  readonly what: string;
  readonly ask: (client: ApiClient, signal: AbortSignal) => Promise<unknown>;
}

/** Asks for each thing once, all at the same time, and hands over the whole table whenever an answer has come. */
export async function readAccess(options: {
  readonly client: ApiClient;
  readonly service: Service;
  readonly signal: AbortSignal;
  readonly onRows: (rows: readonly AccessRow[]) => void;
}): Promise<void> {
  const { client, service, signal, onRows } = options;
  const asked = questions();
  const rows: AccessRow[] = asked.map(({ what }) => ({ what, state: 'checking', detail: '' }));
  onRows([...rows]);
  const answers = asked.map(async ({ what, ask }, index) => {
    const answer = await outcome(() => ask(client, signal), service);
    if (signal.aborted) return;
    rows[index] = { what, ...answer };
    onRows([...rows]);
  });
  await Promise.all(answers);
}

function questions(): readonly Question[] {
  return [
    {
      what: vscode.l10n.t('Computers and sessions'),
      ask: (client, signal) => client.computers.list({ signal }),
    },
    {
      what: vscode.l10n.t('Users of the organization'),
      ask: (client, signal) => firstPage(client.organization.users({ limit: 1 }, { signal })),
    },
    {
      what: vscode.l10n.t('Control history'),
      ask: (client, signal) => firstPage(client.organization.controlHistory({ limit: 1 }, { signal })),
    },
    {
      what: vscode.l10n.t('Analytics'),
      ask: async (client, signal) => {
        const { latestDay } = await import('../api');
        const day = latestDay(Date.now());
        return client.analytics.activity({ startDate: day, endDate: day }, { signal });
      },
    },
    { what: vscode.l10n.t('Readiness reports'), ask: firstReport },
  ];
}

async function outcome(
  ask: () => Promise<unknown>,
  service: Service,
): Promise<Pick<AccessRow, 'state' | 'detail'>> {
  const { isApiError } = await import('../api');
  try {
    await ask();
    return { state: 'readable', detail: vscode.l10n.t('This key can read it.') };
  } catch (error) {
    const refused = isApiError(error) && (error.kind === 'forbidden' || error.kind === 'unauthorized');
    const host = service.source === 'sample' ? service.host : undefined;
    return { state: refused ? 'refused' : 'unknown', detail: errorSentence(error, { host }) };
  }
}
