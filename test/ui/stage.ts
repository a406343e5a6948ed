import * as fs from 'node:fs';
import * as path from 'node:path';
import { makeSampleRepository } from '../../src/sample/repository';
import { startSampleService, type SampleService, type SampleServiceOptions } from '../fakes/sampleService';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { Workbench, type WorkbenchOptions } from './workbench';

const theme = <T extends string>(id: string, label: string, window: string, page: T) =>
  ({ id, label, window, page }) as const;
/** One theme of each kind: its name in settings and in the picker, and the classes the window and the pages in it then have. */
export const themes = {
  light: theme('Light 2026', 'Light 2026', 'vs', 'vscode-light'),
  dark: theme('Dark 2026', 'Dark 2026', 'vs-dark', 'vscode-dark'),
  'hc-dark': theme('Default High Contrast', 'Dark High Contrast', 'hc-black', 'vscode-high-contrast'),
  'hc-light': theme(
    'Default High Contrast Light',
    'Light High Contrast',
    'hc-light',
    'vscode-high-contrast-light',
  ),
};
export type Theme = keyof typeof themes;

export const signedInTo = ({
  baseUrl,
  appUrl,
  apiKey,
}: Pick<SampleService, 'baseUrl' | 'appUrl' | 'apiKey'>) => ({
  ...{ AGENT_CONSOLE_BASE_URL: baseUrl, AGENT_CONSOLE_APP_URL: appUrl, AGENT_CONSOLE_API_KEY: apiKey },
});

export interface StageOptions extends WorkbenchOptions {
  /** What the folder of the window is filled with, files by their names or by whoever fills it; the sample workspace unless told. */
  readonly files?: Readonly<Record<string, string | Uint8Array>> | ((folder: string) => void | Promise<void>);
  /** Its agents and computers are done at once unless told. */
  readonly service?: SampleServiceOptions | ((folder: string) => SampleServiceOptions);
  /** By the environment; true unless told. */
  readonly signedIn?: boolean;
  readonly height?: number;
}

export interface Prepared {
  readonly service: SampleService;
  /** The folder of the window, and where it stands, for what is beside it. */
  readonly folder: string;
  readonly parent: string;
}

export interface Stage extends Prepared {
  readonly workbench: Workbench;
  readonly close: () => Promise<void>;
}

/** Opens a stage; `prepare` may do what must be done before the window opens, and say more of the window. */
export async function openStage(
  given: StageOptions = {},
  prepare?: (prepared: Prepared) => StageOptions | undefined | Promise<StageOptions | undefined>,
): Promise<Stage> {
  const parent = temporaryFolder('ui');
  const folder = path.join(parent, 'shop');
  fs.mkdirSync(folder);
  const { files = (parent: string) => makeSampleRepository(parent, 'git', Date.now()) } = given;
  if (typeof files === 'function') await files(folder);
  else for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text);
  const service = await startSampleService({
    pace: 0,
    ...(typeof given.service === 'function' ? given.service(folder) : given.service),
  });
  const prepared = { service, folder, parent };
  const { signedIn = true, height, env, ...options } = { ...given, ...(await prepare?.(prepared)) };
  const workbench = await Workbench.open({
    folder,
    ...(height !== undefined && { contextOptions: { viewport: { width: 1280, height } } }),
    ...options,
    env: { ...(signedIn && signedInTo(service)), ...env },
  });
  const close = async (): Promise<void> => {
    await workbench.close();
    await service.close();
    removeFolder(parent);
  };
  return { ...prepared, workbench, close };
}

/** For a `describe`: opens a stage before its tests, hands it over, and closes it after them. */
export function onStage(take: (stage: Stage) => unknown, ...options: Parameters<typeof openStage>): void {
  let stage: Stage | undefined;
  before(async () => {
    stage = await openStage(...options);
    await take(stage);
  });
  after(() => stage?.close());
}
