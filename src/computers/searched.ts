import * as vscode from 'vscode';
import { computerName, readComputers, type Computer } from '../api';
import type { SearchHit } from '../storage';
import { keyIn, listRecords, type ItemKind } from '../sync/stored';
import { oneLine } from '../util/text';

export const computerKind: ItemKind<Computer> = {
  schema: {
    parse: value => {
      const [computer] = readComputers([value]);
      if (computer === undefined) throw new Error('It is no computer.');
      return computer;
    },
  },
  text: computer => {
    const { hostname = '', providerType = '', remoteUser = '', id, provisioningSteps = [] } = computer;
    const steps = provisioningSteps.map(({ name = '', error = '' }) => `${name} ${error}`);
    const lines = [computerName(computer), `${hostname} ${providerType} ${remoteUser} ${id}`, ...steps];
    return { text: lines.map(line => oneLine(line)).join('\n'), at: computer.createdAt };
  },
};

/** Where the computers of a service are kept. */
export function pathOf(serviceId: string): string {
  return `services/${serviceId}/lists/computers`;
}

/** How the computers of a service can be found, and what opens them. */
export function searchedComputers(
  serviceId: string,
  open: () => Promise<{ readonly showDetails: (computer: { readonly computerId: string }) => unknown }>,
) {
  return {
    records: listRecords(pathOf(serviceId), computerKind),
    found: ({ id, first: label }: SearchHit) => ({
      label,
      description: vscode.l10n.t('computer'),
      isUndated: true,
      open: async () => (await open()).showDetails({ computerId: keyIn(id) }),
    }),
  };
}
